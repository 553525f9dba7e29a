import COpenSSL

/// HMAC-SHA-256 (RFC 2104) with one key.
///
/// Keeps the two contexts that have already taken the padded key, so that each code costs two copies and the
/// message. Who frees: `deinit`.
///
/// `@unchecked Sendable`: after `init` the contexts are only read, as sources of `EVP_MD_CTX_copy_ex`.
public final class HMACSHA256: @unchecked Sendable {
    private static let blockBytes = 64
    private let inner: OpaquePointer
    private let outer: OpaquePointer

    public init(key: [UInt8]) {
        let short = key.count > Self.blockBytes ? SHA256.hash(key) : key
        let padded = short + [UInt8](repeating: 0, count: Self.blockBytes - short.count)
        inner = Self.context(taking: padded.map { $0 ^ 0x36 })
        outer = Self.context(taking: padded.map { $0 ^ 0x5C })
    }

    deinit {
        EVP_MD_CTX_free(inner)
        EVP_MD_CTX_free(outer)
    }

    public func code(for message: UnsafeRawBufferPointer) -> [UInt8] {
        let context = Digest.newContext()
        defer { EVP_MD_CTX_free(context) }
        Digest.check(EVP_MD_CTX_copy_ex(context, inner))
        Digest.check(EVP_DigestUpdate(context, message.baseAddress, message.count))
        let digest = Digest.finish(context)
        Digest.check(EVP_MD_CTX_copy_ex(context, outer))
        Digest.check(EVP_DigestUpdate(context, digest, digest.count))
        return Digest.finish(context)
    }

    public func code(for message: [UInt8]) -> [UInt8] {
        message.withUnsafeBytes { code(for: $0) }
    }

    /// Compares in a time that does not tell where the codes differ.
    public func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        ConstantTime.areEqual(code, self.code(for: message))
    }

    private static func context(taking block: [UInt8]) -> OpaquePointer {
        let context = Digest.newContext()
        Digest.start(context)
        Digest.check(EVP_DigestUpdate(context, block, block.count))
        return context
    }
}
