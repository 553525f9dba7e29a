import Contracts
import Crypto

/// An install of an app, in one of its two worlds.
struct InstallKey: Hashable, Sendable {
    let app: Int32
    let environment: Int16
    let id: UUID128
}

/// A user of an app, in one of its two worlds.
///
/// Holds a digest instead of the id: every entry is of one size, and ids are told apart byte by byte, which Swift's own comparison of
/// strings does not do.
struct UserKey: Hashable, Sendable {
    let app: Int32
    let environment: Int16
    let digest: UUID128

    init(app: Int32, environment: Int16, userID: String) {
        self.app = app
        self.environment = environment
        digest = UUID128(bytes: SHA256.hash(Self.secret + userID.utf8)) ?? .zero
    }

    /// Of this process alone, so that nobody can look for two ids with one digest.
    private static let secret = SecureRandom.bytes(16)
}

/// A context of an app.
struct ContextKey: Hashable, Sendable {
    let app: Int32
    let fingerprint: UUID128
}
