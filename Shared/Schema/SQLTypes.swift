public import Calendar
public import Contracts
public import Postgres

// How our own types travel as parameters; each needs its cast in the statement, such as `\(appID)::uuid`.

extension UUID128: SQLValue {
    public var sqlText: String? { description }
}

extension UUID128: SQLArrayElement {
    /// Written in one go: arrays of ten thousand ids go out with every batch.
    public static func sqlArrayText(_ elements: [UUID128]) -> String {
        String(unsafeUninitializedCapacity: elements.count * (textBytes + 1) + 2) { text in
            text[0] = UInt8(ascii: "{")
            var next = 1
            for element in elements {
                if next > 1 {
                    text[next] = UInt8(ascii: ",")
                    next += 1
                }
                element.forEachTextByte { byte in
                    text[next] = byte
                    next += 1
                }
            }
            text[next] = UInt8(ascii: "}")
            return next + 1
        }
    }
}

extension LocalDay: SQLValue {
    public var sqlText: String? { description }
}

extension LocalDay: SQLArrayElement {}

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
