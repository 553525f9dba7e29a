public import Calendar
public import Contracts
public import Postgres

// How our own types travel as parameters; each needs its cast in the statement, such as `\(appID)::uuid`.

extension UUID128: SQLValue {
    public var sqlText: String? { description }
}

extension LocalDay: SQLValue {
    public var sqlText: String? { description }
}

/// An instant as a parameter: `\(Instant(ms: ms))::timestamptz`, exact to the millisecond.
public struct Instant: SQLValue, Sendable, Equatable {
    public let ms: Int64

    public init(ms: Int64) { self.ms = ms }

    public var sqlText: String? { RFC3339.format(ms: ms) }
}

extension Row {
    /// A `uuid` column.
    public func uuid128(_ column: Int) throws(PostgresError) -> UUID128 {
        let (high, low) = try uuid(column)
        return UUID128(high: high, low: low)
    }

    /// A `date` column.
    public func localDay(_ column: Int) throws(PostgresError) -> LocalDay {
        LocalDay(try date(column))
    }
}
