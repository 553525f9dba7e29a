import CPostgres

/// Reads why a connection could not be made.
///
/// libpq keeps no SQLSTATE for a connection that never was, but with verbose errors its text says `… FATAL:
/// 28P01: password authentication failed …`. A wrong password and a server that is away call for different
/// reactions, so the code is taken from there.
enum ConnectFailure {
    static func error(of connection: OpaquePointer) -> PostgresError {
        error(from: String(cString: PQerrorMessage(connection)))
    }

    static func error(from text: String) -> PostgresError {
        let line = text.firstLine
        guard let found = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) else {
            return PostgresError(sqlState: "08001", message: line)
        }
        let message = line.replacing("\(found.1): ", with: "")
        return PostgresError(sqlState: String(found.1), message: message)
    }
}
