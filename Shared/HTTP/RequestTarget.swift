import Glibc

/// The raw path and query of a request line.
struct RequestTarget: Sendable {
    var path: String
    var query: String?

    /// Nil when it holds blanks, control characters or bytes that are no UTF-8.
    ///
    /// The absolute form (`GET http://host/path`), which every server has to take, loses scheme and host.
    init?(_ text: UnsafePointer<CChar>) {
        var bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self),
            count: strlen(text)
        )
        guard let first = bytes.first, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        if first != UInt8(ascii: "/"), let origin = Self.withoutAuthority(bytes) { bytes = origin }
        if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) {
            guard let query = Self.text(bytes[(mark + 1)...]) else { return nil }
            self.query = query
            bytes = UnsafeBufferPointer(rebasing: bytes[..<mark])
        }
        guard let path = Self.text(bytes[...]) else { return nil }
        self.path = path.isEmpty ? "/" : path
    }

    private static func withoutAuthority(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        for scheme: StaticString in ["http://", "https://"] {
            let count = scheme.utf8CodeUnitCount
            guard bytes.count > count,
                ASCII.equalIgnoringCase(UnsafeBufferPointer(rebasing: bytes[..<count]), scheme)
            else { continue }
            let end =
                bytes[count...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
                ?? bytes.endIndex
            return UnsafeBufferPointer(rebasing: bytes[end...])
        }
        return nil
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        String(validating: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }
}
