import Contracts
public import GeoIP
import JSON

/// A message of an import, ready to publish.
public struct ImportedMessage: Sendable, Equatable {
    public let key: [UInt8]
    public let payload: [UInt8]
}

/// What became of one batch of an import.
public struct ImportedBatch: Sendable, Equatable {
    public let accepted: Int
    public let rejected: Int
    public let warnings: Int
    public let messages: [ImportedMessage]
}

/// Checks batches of history exactly as ingest checks live ones, each taken as received when it says it was sent.
public final class BatchImporter {
    private let key: RegisteredKey
    private let places: GeoDatabase?
    private let parser = JSONParser()
    /// The same for every import, so that a message shows it came from no app's key.
    private static let keyID = UUID128.zero

    /// - Parameter places: where the addresses are that batches name; without it country and city stay unknown.
    public init(app: RegisteredApp, places: GeoDatabase? = nil) {
        key = RegisteredKey(id: Self.keyID, platform: nil, app: app)
        self.places = places
    }

    /// Only addresses that the batch names have a place: history has no connection to look up.
    ///
    /// - Throws: what ingest would refuse the whole batch with; `invalid_batch` also for a `sent_at` outside 2000 to 2100.
    public func prepare(_ line: [UInt8]) throws(BatchRefusal) -> ImportedBatch {
        guard line.count <= EventLimits.bodyBytesMax else { throw BatchRefusal(.payloadTooLarge) }
        let result: Result<ImportedBatch, BatchRefusal>
        do {
            result = try parser.withDocument(line) { root in
                Result { () throws(BatchRefusal) in try prepare(root) }
            }
        } catch {
            throw BatchRefusal(.invalidJSON)
        }
        return try result.get()
    }

    private func prepare(_ root: JSONValue) throws(BatchRefusal) -> ImportedBatch {
        let head = try BatchHead(root)
        guard EventMessage.receivedAtMsRange.contains(head.sentAtMs) else {
            throw BatchRefusal(.invalidBatch, field: "sent_at", issue: .invalid)
        }
        let verdict = BatchValidator.validate(head, key: key, receivedAtMs: head.sentAtMs)
        let messages = MessageBuilder.messages(
            verdict.accepted,
            contexts: verdict.contexts.map(located),
            key: key,
            receivedAtMs: head.sentAtMs
        )
        return ImportedBatch(
            accepted: verdict.acceptedCount,
            rejected: verdict.rejected.count,
            warnings: verdict.warnings.count,
            messages: messages.map { ImportedMessage(key: $0.key, payload: $0.payload) }
        )
    }

    private func located(_ resolved: ResolvedContext) -> EventContext {
        guard let places, case .given(let address) = resolved.address else { return resolved.context }
        return Geolocator.locate(resolved.context, at: address, in: places)
    }
}
