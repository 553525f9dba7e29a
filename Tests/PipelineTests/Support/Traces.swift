import Foundation
import Kafka
import Postgres

/// Something that may have been written down, under a name.
struct Written: Sendable {
    let name: String
    let bytes: Data
    private let lowercased: Data

    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = Data(bytes)
        lowercased = Data(bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 })
    }

    /// Without regard to case.
    func contains(_ text: String) -> Bool { lowercased.range(of: Data(text.lowercased().utf8)) != nil }

    func containsBytes(_ needle: [UInt8]) -> Bool { bytes.range(of: Data(needle)) != nil }
}

/// Every way an address could be written down.
struct AddressTraces: Sendable {
    let texts: [String]
    let bytes: [[UInt8]]

    /// - Parameter v4: such as 81.2.69.142; also in part, since most of an address is still somebody's.
    init(v4: String) {
        let parts = v4.split(separator: ".").compactMap { UInt8($0) }
        let number = parts.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let hex = parts.map { String(format: "%02x", $0) }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + parts
        texts = [
            parts.prefix(3).map { "\($0)." }.joined(),
            parts.reversed().map { "\($0)" }.joined(separator: "."), "\(number)",
            hex.joined(), hex.reversed().joined(), hex.joined(separator: ":"),
            hex[0] + hex[1] + ":" + hex[2] + hex[3],
            Data(mapped).base64EncodedString(),
        ]
        bytes = [parts, parts.reversed()]
    }

    /// - Parameter v6: with all eight groups, none with a leading zero.
    init(v6: String) {
        let groups = v6.split(separator: ":").compactMap { UInt16($0, radix: 16) }
        let full = groups.map { String(format: "%04x", $0) }
        let raw = groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        texts = [
            v6.split(separator: ":").prefix(3).joined(separator: ":") + ":",
            full.prefix(3).joined(separator: ":"), full.prefix(4).joined(), Data(raw).base64EncodedString(),
        ]
        bytes = [raw, raw.reversed()]
    }

    /// The spelling that is found; nil when there is none.
    func found(in written: Written) -> String? {
        if let text = texts.first(where: written.contains) { return text }
        return bytes.first(where: written.containsBytes).map { "\($0)" }
    }
}

extension Stack {
    /// The logs of every process so far.
    var writtenLogs: [Written] {
        logs.map { Written(name: "log of \($0.name)", bytes: Array($0.logText.utf8)) }
    }

    func writtenMetrics() async throws -> [Written] {
        var written: [Written] = []
        let running = Set(logs.filter(\.isRunning).map(\.name))
        for name in ServiceName.allCases where running.contains(name.rawValue) {
            let text = try await self.running(name).ops("/metrics").text
            written.append(Written(name: "metrics of \(name)", bytes: Array(text.utf8)))
        }
        return written
    }

    /// The files beside the logs, such as ingest's registry.
    func writtenFiles() throws -> [Written] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        return names.filter { !$0.hasPrefix("city.mmdb") && !$0.hasSuffix(".log") }.map { name in
            let bytes = FileManager.default.contents(atPath: directory + "/" + name) ?? Data()
            return Written(name: "file \(name)", bytes: Array(bytes))
        }
    }

    /// Key, payload and headers of each message.
    func writtenMessages(of topic: String) async throws -> [Written] {
        try await TopicTool.messages(of: self, topic: topic).map { message in
            var bytes = message.key + [0x0A] + (message.payload ?? [])
            for header in message.headers {
                bytes += [0x0A] + Array(header.name.utf8) + [0x3D] + header.value
            }
            return Written(name: "\(topic) \(message.partition):\(message.offset)", bytes: bytes)
        }
    }

    /// Every column of every table, as bytes where it holds bytes and as text otherwise.
    func writtenColumns() async throws -> [Written] {
        try await database.use { connection in
            let columns = try await connection.rows(
                """
                SELECT format('%I.%I', nspname, relname), format('%I', attname), atttypid = 'bytea'::regtype
                FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                    JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE relkind = 'r' AND attnum > 0 AND NOT attisdropped
                    AND nspname NOT IN ('pg_catalog', 'information_schema')
                ORDER BY 1, 2 LIMIT 10000
                """
            ) { (table: try $0.string(0), column: try $0.string(1), isBytes: try $0.bool(2)) }
            var written: [Written] = []
            for (table, column, isBytes) in columns {
                let value = isBytes ? column : "convert_to(\(column)::text, 'UTF8')"
                let values = try await connection.rows(
                    SQL(unsafe: "SELECT \(value) FROM \(table) WHERE \(column) IS NOT NULL LIMIT 1000000")
                ) { try $0.bytes(0) }
                let bytes = Array(values.joined(separator: [0x0A]))
                written.append(Written(name: "\(table).\(column)", bytes: bytes))
            }
            return written
        }
    }
}
