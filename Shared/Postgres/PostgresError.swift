/// What went wrong in Postgres, or on the way to it.
///
/// `description` is for logs: it never shows `detail`, and it shortens messages that quote a value. `message`
/// and `detail` may hold values that a client sent.
public struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What the caller can do about it.
    public enum Kind: Sendable {
        /// The server cannot be used now: wait, then try again on another connection.
        case unavailable
        /// The transaction lost against another one or ran out of time: run it again from its start.
        case retryable
        /// The same statement would fail again.
        case other
    }

    /// Five characters; `08006` when libpq lost the connection without a word from the server.
    public let sqlState: String
    public let message: String
    public let detail: String?
    public let constraint: String?
    public let kind: Kind
    /// True when `COMMIT` itself failed.
    ///
    /// Together with `isUnavailable` the outcome is unknown: the server may have committed before the line
    /// broke.
    public internal(set) var atCommit = false

    public var isUnavailable: Bool { kind == .unavailable }
    public var isRetryable: Bool { kind == .retryable }

    /// `kind` follows from `sqlState` when it is not given.
    public init(
        sqlState: String,
        message: String,
        detail: String? = nil,
        constraint: String? = nil,
        kind: Kind? = nil
    ) {
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.constraint = constraint
        self.kind = kind ?? Self.kind(of: sqlState)
    }

    public var description: String {
        let place = atCommit ? " at COMMIT" : ""
        return "postgres \(sqlState)\(place): \(loggedMessage)"
    }

    /// The message without what it quotes.
    ///
    /// Data exceptions (class 22) and errors raised by functions (class P0) repeat the value they refuse;
    /// what comes before the first quote or colon names the problem well enough.
    private var loggedMessage: String {
        guard sqlState.hasPrefix("22") || sqlState.hasPrefix("P0") else { return message }
        guard let end = message.firstIndex(where: { $0 == "\"" || $0 == ":" }) else { return message }
        return message[..<end] + "…"
    }

    private static func kind(of sqlState: String) -> Kind {
        switch sqlState {
        // A disk that is full or a server that became a standby says nothing against the statement. 25P03 and
        // 57P05 are idle time-outs, after which the connection is gone.
        case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25006": .unavailable
        // 57014 is a statement time-out or an operator's cancel; 26000 a prepared statement that went away.
        case "40001", "40P01", "40003", "55P03", "57014", "26000": .retryable
        default:
            switch sqlState.prefix(2) {
            case "08", "53", "58": .unavailable
            default: .other
            }
        }
    }
}

extension PostgresError {
    static let closed = PostgresError(sqlState: "08003", message: "the connection is closed")

    static let nulInText = PostgresError(
        sqlState: "22021",
        message: "text for Postgres must not contain a NUL character"
    )

    static func misuse(_ message: String) -> PostgresError {
        PostgresError(sqlState: "55000", message: message, kind: .other)
    }
}
