import Contracts

/// The operations that are no report over one app's closed days.
enum DirectRoute: Equatable {
    case realtime(UUID128?)
    case profiles(UUID128?)
    /// The person key as the path names it, decoded once.
    case profile(UUID128?, personKey: String)
    case health(UUID128?)
    case deletionRequests(UUID128?)
    /// A request id that is no UUID is nil: it names no request.
    case deletionRequest(UUID128?, UUID128?)

    /// Nil when the decoded segments of a path lead elsewhere.
    static func find(_ segments: [String]) -> DirectRoute? {
        guard segments.count > 3, segments[0] == "v1", segments[1] == "apps" else { return nil }
        let id = UUID128(segments[2])
        let rest = Array(segments[3...])
        switch rest.count {
        case 1:
            switch rest[0] {
            case "realtime": return .realtime(id)
            case "profiles": return .profiles(id)
            case "deletion-requests": return .deletionRequests(id)
            default: return nil
            }
        case 2:
            switch rest[0] {
            // A key is never normalised: `..` and `a%2Fb` are somebody's ids.
            case "profiles" where !rest[1].isEmpty: return .profile(id, personKey: rest[1])
            case "integration" where rest[1] == "health": return .health(id)
            case "deletion-requests" where !rest[1].isEmpty:
                return .deletionRequest(id, UUID128(rest[1]))
            default: return nil
            }
        default: return nil
        }
    }
}

/// What each operation takes and gives.
extension ReadRoute {
    var methods: [String] {
        if case .direct(.deletionRequests) = self { ["POST"] } else { ["GET", "HEAD"] }
    }

    /// For the header `Allow`.
    var allowedMethods: String { (methods + ["OPTIONS"]).joined(separator: ", ") }

    /// A key needs one of them.
    var scopes: Set<APIKeyScope> {
        switch self {
        case .direct(.deletionRequests): [.delete]
        case .direct(.deletionRequest): [.read, .delete]
        default: [.read]
        }
    }
}
