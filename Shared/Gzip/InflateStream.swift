import CZlib

/// Sole owner of a `z_stream` that unpacks.
///
/// The stream is on the heap because zlib keeps its address and refuses to go on when it has moved.
struct InflateStream: ~Copyable {
    enum Status {
        case finished
        /// There is more, or only the trailer to be checked.
        case outputFull
        case failed(GzipError)
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// Lends `input` to zlib: it must outlive this value.
    init(input: UnsafeRawBufferPointer) throws(GzipError) {
        guard input.count <= UInt32.max else { throw .tooLarge }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let start = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
        stream.pointee.avail_in = UInt32(input.count)
        // 16 on top of the greatest window asks for gzip and nothing else.
        let status = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw .outOfMemory
        }
        self.stream = stream
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Unpacks until `outputBytes` are there or nothing follows.
    borrowing func next(outputBytes: Int) -> ([UInt8], Status) {
        let outputBytes = min(outputBytes, Int(UInt32.max))
        var status = Status.outputFull
        let chunk = [UInt8](unsafeUninitializedCapacity: outputBytes) { buffer, count in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(outputBytes)
            status = fill()
            count = outputBytes - Int(stream.pointee.avail_out)
        }
        return (chunk, status)
    }

    private borrowing func fill() -> Status {
        while true {
            switch CZlib.inflate(stream, Z_NO_FLUSH) {
            case Z_STREAM_END:
                guard stream.pointee.avail_in > 0 else { return .finished }
                guard isAtMember() else { return .failed(.corrupt) }
                inflateReset(stream)
            case Z_OK, Z_BUF_ERROR:
                // zlib stops only when one of both is used up, so the loop always gets on.
                if stream.pointee.avail_out == 0 { return .outputFull }
                if stream.pointee.avail_in == 0 { return .failed(.truncated) }
            case Z_MEM_ERROR:
                return .failed(.outOfMemory)
            default:
                return .failed(.corrupt)
            }
        }
    }

    /// Whether what follows can be another member; a lone first byte of one is a cut text, not junk.
    private borrowing func isAtMember() -> Bool {
        guard let next = stream.pointee.next_in, next[0] == 0x1F else { return false }
        return stream.pointee.avail_in == 1 || next[1] == 0x8B
    }
}
