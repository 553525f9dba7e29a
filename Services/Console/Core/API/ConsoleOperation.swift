import HTTP
import Postgres

/// An operation of the control plane: its method, its path, what it takes, and what it does.
struct ConsoleOperation: Sendable {
    typealias Open = @Sendable (ConsoleCall, ControlPlaneAPI) async throws -> ConsoleAnswer
    typealias OfSession =
        @Sendable (ConsoleCall, ConsoleSession, ControlPlaneAPI) async throws
        -> ConsoleAnswer
    typealias Change = @Sendable (ConsoleCall, Account, isolated PostgresConnection) throws -> ConsoleAnswer

    enum Work: Sendable {
        /// Needs no session.
        case open(Open)
        /// Works on the session itself.
        case ofSession(OfSession)
        /// Runs in one transaction, again when it lost a race.
        case transaction(Change)
    }

    let method: String
    /// After `/console/v1/`, as the OpenAPI document writes it: `apps/{app_id}`.
    let path: String
    /// Names of parameters; others are refused.
    let query: Set<String>
    let work: Work
    private let segments: [String]

    private init(_ method: String, _ path: String, _ query: Set<String>, _ work: Work) {
        self.method = method
        self.path = path
        self.query = query
        self.work = work
        segments = path.split(separator: "/").map(String.init)
    }

    init(
        _ method: String,
        _ path: String,
        query: Set<String> = [],
        _ run: @escaping Change
    ) {
        self.init(method, path, query, .transaction(run))
    }

    static func open(_ method: String, _ path: String, _ run: @escaping Open) -> ConsoleOperation {
        ConsoleOperation(method, path, [], .open(run))
    }

    static func ofSession(_ method: String, _ path: String, _ run: @escaping OfSession) -> ConsoleOperation {
        ConsoleOperation(method, path, [], .ofSession(run))
    }

    /// The variable segments of a path that leads here; nil for any other.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (pattern, segment) in zip(segments, path) {
            if pattern.hasPrefix("{") {
                values[String(pattern.dropFirst().dropLast())] = segment
            } else if pattern != segment {
                return nil
            }
        }
        return values
    }
}
