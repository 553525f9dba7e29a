import Contracts
import HTTP
import Postgres

/// One request to the control plane, by somebody who is signed in.
struct ConsoleCall: Sendable {
    let session: ConsoleSession
    /// Path segments after `/console/v1`, decoded.
    let path: [String]
    let query: HTTPQuery
    let fields: RequestFields

    var email: String { session.account.email }

    /// The id at a place of the path.
    ///
    /// - Throws: `app_not_found`: an id that is no UUID names nothing.
    func id(_ position: Int) throws(ConsoleRefusal) -> UUID128 {
        guard position < path.count, let id = UUID128(path[position]) else {
            throw ConsoleRefusal(.appNotFound)
        }
        return id
    }
}

/// An operation: its method, its path, and what it does in a transaction of its own.
struct ConsoleOperation: Sendable {
    /// A path segment that is any value.
    static let any = "*"

    let method: String
    let path: [String]
    let run: @Sendable (ConsoleCall, isolated PostgresConnection) throws -> ConsoleAnswer

    init(
        _ method: String,
        _ path: String,
        _ run: @escaping @Sendable (ConsoleCall, isolated PostgresConnection) throws -> ConsoleAnswer
    ) {
        self.method = method
        self.path = path.split(separator: "/").map(String.init)
        self.run = run
    }

    func isAt(_ segments: [String]) -> Bool {
        path.count == segments.count && zip(path, segments).allSatisfy { $0 == Self.any || $0 == $1 }
    }
}
