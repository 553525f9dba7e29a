import COpenSSL

/// Password hashes by scrypt (RFC 7914).
///
/// Blocks for tens of milliseconds and takes `128 × r × 2^logN` bytes: never call it on Swift's pool, and
/// bound how many run at once.
public enum Scrypt {
    /// How hard a hash is made.
    public struct Cost: Sendable, Equatable {
        public var logN: Int
        public var r: Int
        public var p: Int

        /// 32 MiB: about 100 ms.
        public init(logN: Int = 15, r: Int = 8, p: Int = 1) {
            self.logN = logN
            self.r = r
            self.p = p
        }

        /// A stored hash names its own cost; beyond this it is refused rather than believed.
        var isBearable: Bool {
            (1...20).contains(logN) && (1...32).contains(r) && (1...16).contains(p) && r << logN <= 8 << 20
        }
    }

    /// Returns `$scrypt$ln=15,r=8,p=1$salt$hash`, with a salt of its own.
    public static func hash(password: String, cost: Cost = Cost()) -> String {
        let salt = SecureRandom.bytes(16)
        guard let key = derive(Array(password.utf8), salt: salt, cost: cost, count: 32) else {
            preconditionFailure("scrypt cost \(cost)")
        }
        return PHCString(cost: cost, salt: salt, key: key).description
    }

    /// False for a wrong password and for a text that is no hash of ours.
    public static func verify(password: String, against hash: String) -> Bool {
        guard let stored = PHCString(hash) else { return false }
        let password = Array(password.utf8)
        let key = derive(password, salt: stored.salt, cost: stored.cost, count: stored.key.count)
        return key.map { ConstantTime.areEqual($0, stored.key) } ?? false
    }

    /// Whether a valid hash should be made anew because costs have risen since.
    public static func needsRehash(_ hash: String, cost: Cost = Cost()) -> Bool {
        PHCString(hash)?.cost != cost
    }

    /// The bare function; nil when the cost is out of bounds or memory is short.
    public static func derive(_ password: [UInt8], salt: [UInt8], cost: Cost, count: Int) -> [UInt8]? {
        guard cost.isBearable, count > 0 else { return nil }
        var key = [UInt8](repeating: 0, count: count)
        let memoryBytesMax = UInt64(128 * cost.r) << cost.logN + UInt64(128 * cost.r * cost.p + (1 << 20))
        let status = password.withUnsafeBytes { password in
            EVP_PBE_scrypt(
                password.assumingMemoryBound(to: CChar.self).baseAddress,
                password.count,
                salt,
                salt.count,
                UInt64(1) << cost.logN,
                UInt64(cost.r),
                UInt64(cost.p),
                memoryBytesMax,
                &key,
                count
            )
        }
        return status == 1 ? key : nil
    }
}
