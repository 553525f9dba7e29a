import Contracts
import Crypto

extension EventContext {
    /// A digest of the ten stored dimensions, so that equal contexts meet in `contexts`.
    ///
    /// Stored, so it must never change: SHA-256 over each value with its length in front, an absent one as 255, cut to 16 bytes.
    /// The environment is not part of it: events carry that themselves.
    var fingerprint: UUID128 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(160)
        for value in dimensions {
            guard let value else {
                bytes.append(255)
                continue
            }
            // No dimension reaches 64 Ki bytes: the longest bound is 256 scalars.
            let count = value.utf8.count
            bytes.append(UInt8(truncatingIfNeeded: count >> 8) & 0x7F)
            bytes.append(UInt8(truncatingIfNeeded: count))
            bytes.append(contentsOf: value.utf8)
        }
        return UUID128(bytes: SHA256.hash(bytes)) ?? .zero
    }

    /// In the order of the columns of `contexts`.
    var dimensions: [String?] {
        [
            platform.rawValue, osName, osVersion, appVersion, appBuild, deviceModel, deviceType?.rawValue,
            locale, country, city,
        ]
    }
}
