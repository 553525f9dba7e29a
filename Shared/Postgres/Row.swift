import CPostgres

/// One row, valid only inside the closure it is handed to.
///
/// It is not copyable and is lent, so it cannot be kept: the memory belongs to libpq and is freed after the
/// closure. Columns count from 0. Values arrive in binary form; a function that does not fit the column's
/// type, a NULL where none is expected and a column that does not exist throw a `PostgresError` and never
/// trap.
public struct Row: ~Copyable {
    private let result: OpaquePointer
    private let index: Int32

    init(result: OpaquePointer, index: Int32) {
        self.result = result
        self.index = index
    }

    public var columnCount: Int { Int(PQnfields(result)) }

    public func isNull(_ column: Int) throws(PostgresError) -> Bool {
        PQgetisnull(result, index, try checked(column)) == 1
    }

    /// Lends a value's bytes.
    func cell(_ column: Int) throws(PostgresError) -> Cell {
        let number = try checked(column)
        guard PQgetisnull(result, index, number) == 0, let start = PQgetvalue(result, index, number) else {
            throw error("22004", column, "is null")
        }
        let length = Int(PQgetlength(result, index, number))
        return Cell(type: PQftype(result, number), bytes: UnsafeRawBufferPointer(start: start, count: length))
    }

    func mismatch(_ column: Int, _ cell: Cell, wanted: String) -> PostgresError {
        error("42804", column, "has type \(cell.type), which cannot be read as \(wanted)")
    }

    func error(_ sqlState: String, _ column: Int, _ problem: String) -> PostgresError {
        let name = PQfname(result, Int32(clamping: column)).map { String(cString: $0) } ?? ""
        return PostgresError(sqlState: sqlState, message: "column \(column) (\(name)) \(problem)")
    }

    private func checked(_ column: Int) throws(PostgresError) -> Int32 {
        guard column >= 0, column < columnCount else {
            throw PostgresError(sqlState: "42703", message: "no column \(column) in \(columnCount) columns")
        }
        return Int32(truncatingIfNeeded: column)
    }
}

/// One value that is not NULL, lent by its row.
struct Cell {
    let type: Oid
    let bytes: UnsafeRawBufferPointer

    /// Reads a whole number as Postgres sends it, most significant byte first; nil when the length is not its
    /// own.
    func bigEndian<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        guard bytes.count == MemoryLayout<Number>.size else { return nil }
        return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }
}
