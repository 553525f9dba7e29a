import CSimdJSON

/// Parses JSON with simdjson, one document after the other in the same memory.
///
/// Who frees: `deinit`. Threads: one at a time, so a service keeps some in a pool and takes one for each
/// body. Copies: the text. Blocks: never. Its memory grows to the next power of two above the longest
/// document seen and stays: about 15 bytes of address space for each byte, of which a document touches what
/// its values need.
///
/// Two kinds of valid text are more than simdjson represents, and it would refuse the whole document. They
/// are replaced before the document is shown, so that one bad value cannot sink its neighbours:
/// - a number beyond 64 bits, or beyond the greatest double, reads as an empty array;
/// - a `\ud800`…`\udfff` escape without its other half reads as U+0000.
///
/// A UTF-8 byte order mark at the front is skipped. Equal member names are all kept, in order.
public final class JSONParser {
    @usableFromInline struct Document {
        @usableFromInline let tape: UnsafePointer<UInt64>
        @usableFromInline let strings: UnsafePointer<UInt8>
    }

    private let handle: OpaquePointer
    @usableFromInline var isLent = false

    public init(depthMax: Int = 64, bytesMax: Int = 64 << 20) {
        precondition(depthMax > 0 && bytesMax > 0)
        guard let handle = sj_parser_create(bytesMax, depthMax) else { fatalError("out of memory") }
        self.handle = handle
    }

    deinit { sj_parser_destroy(handle) }

    /// Lends the root value to `body`.
    ///
    /// Nothing of it may be kept: the next document takes its memory.
    /// - Throws: `JSONError`, or what `body` throws.
    @inlinable public func withDocument<Result>(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (JSONValue) throws -> Result
    ) throws -> Result {
        precondition(!isLent, "one document at a time")
        let document = try parse(bytes)
        isLent = true
        defer { isLent = false }
        return try body(JSONValue(tape: document.tape, strings: document.strings, index: 1))
    }

    @inlinable public func withDocument<Result>(
        _ bytes: [UInt8],
        _ body: (JSONValue) throws -> Result
    ) throws -> Result {
        try bytes.withUnsafeBytes { try withDocument($0, body) }
    }

    @usableFromInline func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> Document {
        var document = sj_document()
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status = sj_parse(handle, start, bytes.count, &document)
        guard status == sj_ok else { throw JSONError(status) }
        guard let tape = document.tape, let strings = document.strings else { throw .outOfMemory }
        return Document(tape: tape, strings: strings)
    }
}

extension JSONError {
    fileprivate init(_ status: sj_status) {
        switch status {
        case sj_empty: self = .empty
        case sj_utf8: self = .utf8
        case sj_depth: self = .depth
        case sj_capacity: self = .capacity
        case sj_trailing: self = .trailing
        case sj_memory: self = .outOfMemory
        default: self = .syntax
        }
    }
}
