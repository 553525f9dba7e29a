/// The methods the server passes on; any other is refused as `HTTPProblem.methodUnknown`.
///
/// Upper case, since methods are case-sensitive.
public enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
}
