extension Row {
    /// Text of any kind, enums, JSON, the lower-case form of a `uuid`, and a `numeric` to its last digit.
    ///
    /// Other types throw: cast them in SQL (`day::text`), where their form can be read.
    public func string(_ column: Int) throws(PostgresError) -> String {
        let cell = try cell(column)
        switch cell.type {
        case TypeOID.uuid:
            if let text = UUIDText.text(of: cell) { return text }
        case TypeOID.numeric:
            if let number = Numeric(cell.bytes) { return number.text }
        default:
            // Types of the database's own that are not text, such as composites, are caught by their bytes.
            if let bytes = Self.textBytes(of: cell),
                let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0)
            {
                return text
            }
        }
        throw mismatch(column, cell, wanted: "text")
    }

    public func optionalString(_ column: Int) throws(PostgresError) -> String? {
        try isNull(column) ? nil : try string(column)
    }

    /// A `bytea`.
    public func bytes(_ column: Int) throws(PostgresError) -> [UInt8] {
        let cell = try cell(column)
        guard cell.type == TypeOID.bytea else { throw mismatch(column, cell, wanted: "bytes") }
        return [UInt8](cell.bytes)
    }

    public func optionalBytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        try isNull(column) ? nil : try bytes(column)
    }

    /// Lends the bytes of a `bytea` or a text without copying them, for values of megabytes.
    public func withBytes<Value>(
        _ column: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        let cell = try cell(column)
        if cell.type == TypeOID.bytea { return try body(cell.bytes) }
        guard let bytes = Self.textBytes(of: cell) else { throw mismatch(column, cell, wanted: "bytes") }
        return try body(bytes)
    }

    private static func textBytes(of cell: Cell) -> UnsafeRawBufferPointer? {
        switch cell.type {
        case TypeOID.text, TypeOID.varchar, TypeOID.bpchar, TypeOID.name, TypeOID.char, TypeOID.json,
            TypeOID.unknown:
            cell.bytes
        case TypeOID.jsonb where cell.bytes.first == 1:
            UnsafeRawBufferPointer(rebasing: cell.bytes.dropFirst())
        case TypeOID.firstUserDefined...: cell.bytes
        default: nil
        }
    }
}

/// The spelling of a `uuid`: 36 characters, lower case.
private enum UUIDText {
    static func text(of cell: Cell) -> String? {
        guard cell.bytes.count == 16 else { return nil }
        return String(unsafeUninitializedCapacity: 36) { text in
            var next = 0
            for (index, byte) in cell.bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[next] = UInt8(ascii: "-")
                    next += 1
                }
                text[next] = hexDigit(byte >> 4)
                text[next + 1] = hexDigit(byte & 15)
                next += 2
            }
            return next
        }
    }
}
