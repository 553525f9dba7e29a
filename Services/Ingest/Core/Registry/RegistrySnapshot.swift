import Contracts
import JSON
import Wire

/// Every write key that has not been revoked, at one version of the registry.
public struct RegistrySnapshot: Sendable, Equatable {
    public var version: Int64
    public var keys: [String: RegisteredKey]

    public init(version: Int64 = 0, keys: [String: RegisteredKey] = [:]) {
        self.version = version
        self.keys = keys
    }
}

/// The file that lets ingest start without Postgres.
///
/// It holds write keys, which are public by nature, and nothing of anybody's events.
enum RegistryFile {
    private static let format = 1

    static func encode(_ snapshot: RegistrySnapshot) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 200 * snapshot.keys.count + 64)
        writer.beginObject()
        writer.key("format")
        writer.int(format)
        writer.key("version")
        writer.int64(snapshot.version)
        writer.key("keys")
        writer.beginArray()
        for (text, key) in snapshot.keys.sorted(by: { $0.key < $1.key }) {
            writer.beginObject()
            writer.key("key")
            writer.string(text)
            writer.key("key_id")
            writer.uuid(key.id)
            writer.key("platform")
            if let platform = key.platform { writer.string(platform.rawValue) } else { writer.null() }
            writer.key("app_id")
            writer.uuid(key.app.id)
            writer.key("archived")
            writer.bool(key.app.isArchived)
            writer.key("platforms")
            writer.beginArray()
            for platform in key.app.platforms { writer.string(platform.rawValue) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Nil when the file is damaged or of another format: ingest then waits for Postgres.
    static func decode(_ bytes: [UInt8]) -> RegistrySnapshot? {
        try? JSONParser().withDocument(bytes) { root -> RegistrySnapshot? in
            guard root["format"]?.int64 == Int64(format), let version = root["version"]?.int64,
                let keys = root["keys"], keys.isArray
            else { return nil }
            var snapshot = RegistrySnapshot(version: version)
            for element in keys.elements {
                guard let text = element["key"]?.string, let key = key(element) else { return nil }
                snapshot.keys[text] = key
            }
            return snapshot
        }
    }

    private static func key(_ value: JSONValue) -> RegisteredKey? {
        guard let id = value["key_id"].flatMap({ UUID128(utf8: $0.utf8) }),
            let appID = value["app_id"].flatMap({ UUID128(utf8: $0.utf8) }),
            let isArchived = value["archived"]?.bool, let platforms = value["platforms"], platforms.isArray
        else { return nil }
        let app = RegisteredApp(
            id: appID,
            isArchived: isArchived,
            platforms: platforms.elements.compactMap { $0.string.flatMap(Platform.init(rawValue:)) }
        )
        return RegisteredKey(
            id: id,
            platform: value["platform"]?.string.flatMap(Platform.init(rawValue:)),
            app: app
        )
    }
}
