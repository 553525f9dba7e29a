import COpenSSL

/// Comparisons that take the same time wherever the difference is.
public enum ConstantTime {
    /// The lengths are no secret: different lengths differ at once.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
