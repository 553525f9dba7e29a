import Calendar
import Contracts
import GeoIP
import HTTP

@testable import IngestCore

/// Small grammars of clients: query, path, times, personal data, addresses, languages.
enum TextTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let query = try? HTTPQuery(raw: text) {
            for (name, _) in query.pairs {
                try expect(query.values(name).first == query[name], "a parameter has two first values")
            }
        }
        if let segments = try? HTTPPath.segments(text) {
            try expect(segments.allSatisfy { !$0.utf8.contains(0) }, "a NUL is left in a path")
        }
        try checkTime(bytes)
        try checkAddress(text)
        _ = MessageLanguage(acceptLanguage: text)
        // Valid UTF-8 is what the parser hands over.
        Array(text.utf8).withUnsafeBufferPointer { utf8 in
            _ = PersonalDataRule.resembles(utf8)
            _ = TextRule.isClean(utf8)
        }
        _ = TextRule.isBlank(text)
    }

    private static func checkTime(_ bytes: [UInt8]) throws {
        guard let ms = bytes.withUnsafeBufferPointer({ RFC3339Parser.milliseconds($0) }) else { return }
        let written = Array(RFC3339.format(ms: ms).utf8)
        let again = written.withUnsafeBufferPointer { RFC3339Parser.milliseconds($0) }
        // The writer knows the years 1 to 9999.
        guard (-62_135_596_800_000...253_402_300_799_999).contains(ms) else { return }
        try expect(again == ms, "a time changes when it is written and read again")
    }

    private static func checkAddress(_ text: String) throws {
        _ = IPAddress.parseForwarded(text)
        guard let address = IPAddress(text) else { return }
        try expect(
            IPAddress(address.description) == address,
            "an address changes when it is written and read"
        )
    }
}
