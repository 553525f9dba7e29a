import COpenSSL

/// SHA-256 (FIPS 180-4) by OpenSSL.
///
/// Thread-safe: every call has a context of its own.
public enum SHA256 {
    public static let digestBytes = 32

    public static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        Digest.sha256 { context in Digest.check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)) }
    }

    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { hash($0) }
    }
}

/// What SHA-256 and HMAC share of OpenSSL's digest interface.
enum Digest {
    /// Fetched once: looking an algorithm up costs more than hashing a short message.
    ///
    /// Never freed, as the process needs it to its end.
    private static let algorithm = Algorithm()

    /// Runs `update` on a fresh context and returns the digest.
    static func sha256(_ update: (OpaquePointer) -> Void) -> [UInt8] {
        let context = newContext()
        defer { EVP_MD_CTX_free(context) }
        start(context)
        update(context)
        return finish(context)
    }

    static func newContext() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else { fatalError("out of memory") }
        return context
    }

    static func start(_ context: OpaquePointer) {
        check(EVP_DigestInit_ex2(context, algorithm.pointer, nil))
    }

    static func finish(_ context: OpaquePointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.digestBytes) { buffer, count in
            check(EVP_DigestFinal_ex(context, buffer.baseAddress, nil))
            count = SHA256.digestBytes
        }
    }

    /// Digests in memory have no failure that could be handled, so one means a broken OpenSSL.
    static func check(_ status: Int32) {
        precondition(status == 1, "OpenSSL digest failed")
    }

    /// `@unchecked Sendable`: OpenSSL documents fetched algorithms as constant and usable from any thread.
    private struct Algorithm: @unchecked Sendable {
        let pointer: OpaquePointer

        init() {
            guard let pointer = EVP_MD_fetch(nil, "SHA2-256", nil) else {
                fatalError("OpenSSL has no SHA-256")
            }
            self.pointer = pointer
        }
    }
}
