extension Row {
    /// Any whole number: `smallint`, `integer`, `bigint`, `oid`, and a `numeric` without a fraction, such as
    /// a `sum`.
    public func int64(_ column: Int) throws(PostgresError) -> Int64 {
        let cell = try cell(column)
        switch cell.type {
        case TypeOID.int8:
            if let value = cell.bigEndian(Int64.self) { return value }
        case TypeOID.int4:
            if let value = cell.bigEndian(Int32.self) { return Int64(value) }
        case TypeOID.int2:
            if let value = cell.bigEndian(Int16.self) { return Int64(value) }
        case TypeOID.oid:
            if let value = cell.bigEndian(UInt32.self) { return Int64(value) }
        case TypeOID.numeric:
            guard let value = Numeric(cell.bytes)?.int64 else {
                throw error("22003", column, "is not a whole number of 64 bits")
            }
            return value
        default: break
        }
        throw mismatch(column, cell, wanted: "a whole number")
    }

    public func int(_ column: Int) throws(PostgresError) -> Int {
        Int(try int64(column))
    }

    public func int32(_ column: Int) throws(PostgresError) -> Int32 {
        guard let value = Int32(exactly: try int64(column)) else {
            throw error("22003", column, "does not fit 32 bits")
        }
        return value
    }

    /// Any number; a `bigint` or `numeric` beyond 53 bits is rounded.
    public func double(_ column: Int) throws(PostgresError) -> Double {
        let cell = try cell(column)
        switch cell.type {
        case TypeOID.float8:
            if let bits = cell.bigEndian(UInt64.self) { return Double(bitPattern: bits) }
        case TypeOID.float4:
            if let bits = cell.bigEndian(UInt32.self) { return Double(Float(bitPattern: bits)) }
        case TypeOID.numeric:
            if let value = Numeric(cell.bytes).flatMap({ Double($0.text) }) { return value }
        case TypeOID.int2, TypeOID.int4, TypeOID.int8: return Double(try int64(column))
        default: break
        }
        throw mismatch(column, cell, wanted: "a number")
    }

    public func bool(_ column: Int) throws(PostgresError) -> Bool {
        let cell = try cell(column)
        guard cell.type == TypeOID.bool, let byte = cell.bigEndian(UInt8.self) else {
            throw mismatch(column, cell, wanted: "a boolean")
        }
        return byte != 0
    }

    public func optionalInt64(_ column: Int) throws(PostgresError) -> Int64? {
        try isNull(column) ? nil : try int64(column)
    }

    public func optionalInt(_ column: Int) throws(PostgresError) -> Int? {
        try isNull(column) ? nil : try int(column)
    }

    public func optionalInt32(_ column: Int) throws(PostgresError) -> Int32? {
        try isNull(column) ? nil : try int32(column)
    }

    public func optionalDouble(_ column: Int) throws(PostgresError) -> Double? {
        try isNull(column) ? nil : try double(column)
    }

    public func optionalBool(_ column: Int) throws(PostgresError) -> Bool? {
        try isNull(column) ? nil : try bool(column)
    }
}
