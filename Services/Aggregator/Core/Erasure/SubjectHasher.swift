public import Contracts
import Crypto
public import ServiceKit

/// What a row of the suppression ledger is about.
public enum SuppressionKind: String, Sendable, CaseIterable {
    case user, install
    /// The events of an install that name nobody, in one environment.
    case installAnonymous = "install_anonymous"
}

/// The keyed hashes by which the suppression ledger knows people without naming them.
///
/// Stored for years, so they must never change: HMAC-SHA-256 over the kind, a zero byte and the value. The app is not part of it, so that
/// merging apps can move rows.
public struct SubjectHasher: Sendable {
    private let code: HMACSHA256

    public init(key: Secret) {
        code = HMACSHA256(key: Array(key.reveal().utf8))
    }

    /// - Parameter id: its UTF-8 bytes; two spellings of one letter are two people.
    public func user(_ id: [UInt8]) -> [UInt8] { hash(.user, id) }

    public func install(_ id: UUID128) -> [UInt8] { hash(.install, Array(id.description.utf8)) }

    public func anonymous(_ install: UUID128, environment: Int16) -> [UInt8] {
        hash(.installAnonymous, Array("\(environment)/\(install)".utf8))
    }

    public func subject(_ subject: DeletionSubject) -> [UInt8] {
        let bytes = Array(subject.value.utf8)
        return switch subject.type {
        case .user: hash(.user, bytes)
        case .install: hash(.install, bytes)
        }
    }

    /// Tells one key from another without telling anything of it.
    var fingerprint: [UInt8] { code.code(for: Array("fingerprint\0".utf8)) }

    private func hash(_ kind: SuppressionKind, _ value: [UInt8]) -> [UInt8] {
        code.code(for: Array(kind.rawValue.utf8) + [0] + value)
    }
}
