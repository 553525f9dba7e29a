import Glibc

/// Lends `texts` to C as NUL-terminated strings, with nil for SQL NULL.
///
/// All of them lie in one allocation that is freed on return. A text with a NUL inside is refused: C would
/// take it for the end, and what is stored would not be what was sent.
func withCStrings<Result: ~Copyable>(
    _ texts: [String?],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> Result
) throws -> Result {
    let size = texts.reduce(1) { $0 + ($1?.utf8.count ?? 0) + 1 }
    let arena = UnsafeMutablePointer<CChar>.allocate(capacity: size)
    defer { arena.deallocate() }
    let pointers = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
    defer { pointers.deallocate() }

    var used = 0
    for (index, text) in texts.enumerated() {
        guard let text else {
            pointers.advanced(by: index).initialize(to: nil)
            continue
        }
        let start = arena + used
        let length = try copy(text, to: start)
        start[length] = 0
        pointers.advanced(by: index).initialize(to: UnsafePointer(start))
        used += length + 1
    }
    pointers.advanced(by: texts.count).initialize(to: nil)
    return try body(UnsafePointer(pointers))
}

private func copy(_ text: String, to start: UnsafeMutablePointer<CChar>) throws -> Int {
    var text = text
    return try text.withUTF8 { bytes in
        guard let base = bytes.baseAddress, bytes.count > 0 else { return 0 }
        guard memchr(base, 0, bytes.count) == nil else { throw PostgresError.nulInText }
        memcpy(start, base, bytes.count)
        return bytes.count
    }
}
