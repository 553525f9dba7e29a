import CZlib

/// Packs a whole text in one call into zlib.
enum DeflateStream {
    static func pack(_ bytes: [UInt8], level: Int32) -> [UInt8] {
        precondition(bytes.count <= Int(UInt32.max) / 2, "too long for one call")
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        // `&stream` has one address for the whole closure; zlib insists on it.
        return withUnsafeMutablePointer(to: &stream) { stream in
            let strategy = Z_DEFAULT_STRATEGY
            let ready = deflateInit2_(
                stream,
                level,
                Z_DEFLATED,
                16 + MAX_WBITS,
                8,
                strategy,
                ZLIB_VERSION,
                size
            )
            guard ready == Z_OK else { fatalError("out of memory") }
            defer { deflateEnd(stream) }
            let bound = Int(deflateBound(stream, UInt(bytes.count)))
            return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                count = bytes.withUnsafeBufferPointer { finish(stream, input: $0, output: output) }
            }
        }
    }

    private static func finish(
        _ stream: UnsafeMutablePointer<z_stream>,
        input: UnsafeBufferPointer<UInt8>,
        output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = CZlib.deflate(stream, Z_FINISH)
        // `deflateBound` promises room for everything.
        precondition(status == Z_STREAM_END, "deflate \(status)")
        return output.count - Int(stream.pointee.avail_out)
    }
}
