/// Why a path or a query is not text.
public enum HTTPDecodingError: Error, Sendable, Equatable {
    /// A `%` without two hexadecimal digits after it.
    case escapeInvalid
    case notUTF8
    /// A NUL, which nobody means and which ends a C string too early.
    case nul
}

/// Undoes percent-encoding, once.
public enum PercentDecoding {
    /// - Parameter plusIsSpace: As in a query; a path's `+` is a plus.
    public static func decode(
        _ raw: some Collection<UInt8>,
        plusIsSpace: Bool
    ) throws(HTTPDecodingError) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var rest = raw.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(ASCII.hexDigit),
                    let low = rest.next().flatMap(ASCII.hexDigit)
                else { throw .escapeInvalid }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                decoded.append(UInt8(ascii: " "))
            default:
                decoded.append(byte)
            }
        }
        guard !decoded.contains(0) else { throw .nul }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .notUTF8 }
        return text
    }
}

/// Splits a raw path.
public enum HTTPPath {
    /// The decoded segments: `/` has none, `/a/` has `a` and an empty one.
    ///
    /// Nothing is normalised: `..`, `.` and empty segments come out as they are, and a `%2F` stays inside its
    /// segment.
    public static func segments(_ raw: String) throws(HTTPDecodingError) -> [String] {
        var bytes = Array(raw.utf8)[...]
        if bytes.first == UInt8(ascii: "/") { bytes.removeFirst() }
        guard !bytes.isEmpty else { return [] }
        var segments: [String] = []
        for segment in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            segments.append(try PercentDecoding.decode(segment, plusIsSpace: false))
        }
        return segments
    }
}
