extension Row {
    /// The two halves of a `uuid`, first half first.
    public func uuid(_ column: Int) throws(PostgresError) -> (high: UInt64, low: UInt64) {
        let cell = try cell(column)
        guard cell.type == TypeOID.uuid, cell.bytes.count == 16 else {
            throw mismatch(column, cell, wanted: "a uuid")
        }
        let high = cell.bytes.loadUnaligned(as: UInt64.self)
        let low = cell.bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        return (UInt64(bigEndian: high), UInt64(bigEndian: low))
    }

    /// A `uuid` in its lower-case spelling of 36 characters.
    public func uuidText(_ column: Int) throws(PostgresError) -> String {
        let cell = try cell(column)
        guard cell.type == TypeOID.uuid else { throw mismatch(column, cell, wanted: "a uuid") }
        return try string(column)
    }

    /// Milliseconds since 1970 of a `timestamptz`, or of a `timestamp` taken as UTC.
    ///
    /// Postgres counts microseconds; what is below a millisecond is cut towards the past.
    public func timestampMs(_ column: Int) throws(PostgresError) -> Int64 {
        let cell = try cell(column)
        guard cell.type == TypeOID.timestamptz || cell.type == TypeOID.timestamp,
            let micros = cell.bigEndian(Int64.self)
        else { throw mismatch(column, cell, wanted: "a timestamp") }
        guard micros != .max, micros != .min else { throw error("22008", column, "is infinite") }
        let millis = micros / 1_000 - (micros % 1_000 < 0 ? 1 : 0)
        return millis + PostgresEpoch.ms
    }

    /// Days since 1970-01-01 of a `date`.
    public func date(_ column: Int) throws(PostgresError) -> Int32 {
        let cell = try cell(column)
        guard cell.type == TypeOID.date, let days = cell.bigEndian(Int32.self) else {
            throw mismatch(column, cell, wanted: "a date")
        }
        guard days != .max, days != .min else { throw error("22008", column, "is infinite") }
        let (sum, overflow) = days.addingReportingOverflow(PostgresEpoch.days)
        guard !overflow else { throw error("22008", column, "is out of range") }
        return sum
    }

    public func optionalUUID(_ column: Int) throws(PostgresError) -> (high: UInt64, low: UInt64)? {
        try isNull(column) ? nil : try uuid(column)
    }

    public func optionalTimestampMs(_ column: Int) throws(PostgresError) -> Int64? {
        try isNull(column) ? nil : try timestampMs(column)
    }

    public func optionalDate(_ column: Int) throws(PostgresError) -> Int32? {
        try isNull(column) ? nil : try date(column)
    }
}

/// 2000-01-01, from which Postgres counts, seen from 1970-01-01.
enum PostgresEpoch {
    static let days: Int32 = 10_957
    static let ms: Int64 = 946_684_800_000
}
