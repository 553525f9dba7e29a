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
