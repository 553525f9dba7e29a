/// Why a change of apps or keys cannot be made.
public enum ControlProblem: Error, Sendable, Equatable, CustomStringConvertible {
    case appNotFound
    case keyNotFound
    /// A value that cannot be taken, by the name of its field.
    case invalid(field: String, String)
    /// Something that stands in the way for now.
    case conflict(String)

    public var description: String {
        switch self {
        case .appNotFound: "there is no such app"
        case .keyNotFound: "there is no such key, or it is revoked already"
        case .invalid(let field, let reason): "\(field): \(reason)"
        case .conflict(let reason): reason
        }
    }
}
