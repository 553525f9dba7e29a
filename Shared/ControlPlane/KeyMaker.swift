public import Contracts
import Crypto
import ServiceKit

/// Makes keys: a prefix that tells the kind, then letters and digits from the system's random source.
public enum KeyMaker {
    /// About 190 bits.
    private static let randomCharacters = 32
    /// How much of a secret key is kept to recognise it by.
    private static let shownCharacters = 11

    public static func writeKey() -> String { KeyPrefix.write + Base62.random(randomCharacters) }
    public static func secretKey() -> String { KeyPrefix.secret + Base62.random(randomCharacters) }
    /// A password for one use, such as the end of a set-up link.
    public static func oneTimeToken() -> String { Base62.random(randomCharacters) }
    public static func shownPrefix(of key: String) -> String { String(key.prefix(shownCharacters)) }

    private static let identifiers = IDGenerator()

    /// Ordered by time, so that lists by id are lists by age.
    public static func identifier() -> UUID128 {
        UUID128(bytes: identifiers.uuidV7(nowMs: SystemWallClock().nowMs())) ?? .zero
    }
}
