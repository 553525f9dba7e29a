import COpenSSL

/// Random bytes that nobody can guess, from OpenSSL's generator.
///
/// Thread-safe. A process that cannot get random bytes must not go on, so failure ends it.
public enum SecureRandom {
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            initialized = count
        }
    }

    public static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count > 0 else { return }
        precondition(RAND_bytes(start, Int32(buffer.count)) == 1, "no random bytes")
    }
}
