import Glibc

/// Why a server could not start.
public enum HTTPServerError: Error, Sendable, CustomStringConvertible {
    /// Not a numeric IPv4 or IPv6 address, or a port outside 0…65535.
    case addressInvalid(String)
    /// `reason` is the system's text, such as "Address already in use".
    case listenFailed(address: String, port: Int, reason: String)
    case startFailed(reason: String)

    public var description: String {
        switch self {
        case .addressInvalid(let address): "cannot listen on \(address): not a numeric address and port"
        case .listenFailed(let address, let port, let reason):
            "cannot listen on \(address) port \(port): \(reason)"
        case .startFailed(let reason): "cannot start the HTTP server: \(reason)"
        }
    }
}

extension HTTPServerError {
    static func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }
}
