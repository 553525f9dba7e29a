import Contracts
import HTTP

/// What can be told from the head of a request, before any of its body is read.
enum RequestChecks {
    enum Encoding: Equatable {
        case identity, gzip
    }

    /// - Throws: `unsupported_content_encoding` for anything but one `gzip` or `identity`.
    static func encoding(_ headers: HTTPHeaders) throws(BatchRefusal) -> Encoding {
        let values = headers.values("Content-Encoding")
        guard let value = values.first else { return .identity }
        guard values.count == 1 else { throw BatchRefusal(.unsupportedContentEncoding) }
        switch trimmed(value).lowercased() {
        case "", "identity": return .identity
        case "gzip", "x-gzip": return .gzip
        default: throw BatchRefusal(.unsupportedContentEncoding)
        }
    }

    /// JSON, or `text/plain` for beacons, which may not ask for more; parameters other than a foreign charset do not matter.
    static func mediaType(_ headers: HTTPHeaders) throws(BatchRefusal) {
        let values = headers.values("Content-Type")
        guard values.count == 1, let value = values.first else { throw BatchRefusal(.unsupportedMediaType) }
        // What nearly every client sends needs no taking apart.
        if value == "application/json" { return }
        let parts = value.split(separator: ";", omittingEmptySubsequences: false).map {
            trimmed($0).lowercased()
        }
        guard let type = parts.first, type == "application/json" || type == "text/plain" else {
            throw BatchRefusal(.unsupportedMediaType)
        }
        for parameter in parts.dropFirst() where parameter.hasPrefix("charset=") {
            let charset = parameter.dropFirst("charset=".count).filter { $0 != "\"" }
            guard charset == "utf-8" || charset == "utf8" || charset == "us-ascii" else {
                throw BatchRefusal(.unsupportedMediaType)
            }
        }
    }

    /// The write key of the header; nil when there is none.
    ///
    /// - Throws: `invalid_batch` when two headers disagree.
    static func appKey(_ headers: HTTPHeaders) throws(BatchRefusal) -> String? {
        let given = headers.values("X-App-Key")
        // One header without blanks, as nearly every client sends it.
        if given.count == 1, let key = given.first, !key.isEmpty, !key.utf8.contains(where: isBlank) {
            return key
        }
        let values = given.map { trimmed($0) }.filter { !$0.isEmpty }
        guard let first = values.first else { return nil }
        guard values.allSatisfy({ $0 == first }) else {
            throw BatchRefusal(.invalidBatch, field: "X-App-Key", issue: .mismatch)
        }
        return first
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var rest = text[...].drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
