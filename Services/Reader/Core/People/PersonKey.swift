import Contracts

/// Who a person is to the outside: an account, or an install on which nobody ever signed in.
enum PersonKey: Sendable, Equatable, CustomStringConvertible {
    case user(String)
    case install(UUID128)

    /// Nil for a text that is neither `u:<user_id>` nor `i:<install_id>`.
    init?(_ text: String) {
        let rest = String(decoding: text.utf8.dropFirst(2), as: UTF8.self)
        if text.utf8.starts(with: "u:".utf8), !rest.isEmpty {
            self = .user(rest)
        } else if text.utf8.starts(with: "i:".utf8), let id = UUID128(rest) {
            self = .install(id)
        } else {
            return nil
        }
    }

    var description: String {
        switch self {
        case .user(let id): "u:" + id
        case .install(let id): "i:\(id)"
        }
    }

    /// Byte for byte: text that only looks the same is another account.
    static func == (left: PersonKey, right: PersonKey) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }
}
