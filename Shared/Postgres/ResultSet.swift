import CPostgres

/// Sole owner of a `PGresult`, freed when it goes out of scope whatever happens on the way.
struct ResultSet: ~Copyable {
    enum Outcome { case done, failed, copy }

    private let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { PQclear(pointer) }

    var status: ExecStatusType { PQresultStatus(pointer) }

    var outcome: Outcome {
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY: .done
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: .copy
        default: .failed
        }
    }

    var rowCount: Int { Int(PQntuples(pointer)) }
    var isBinary: Bool { PQbinaryTuples(pointer) == 1 }

    /// Rows inserted, changed, deleted, copied or returned; 0 for statements that do not count.
    var affected: Int {
        PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// What the server says it did, such as `COMMIT`, or `ROLLBACK` in answer to a COMMIT of a failed
    /// transaction.
    var command: String {
        PQcmdStatus(pointer).map { String(cString: $0) } ?? ""
    }

    /// Lends each row in turn.
    ///
    /// Borrowing `self` keeps the result alive until the last one is decoded.
    borrowing func forEach(_ body: (borrowing Row) throws -> Void) rethrows {
        for index in 0..<PQntuples(pointer) {
            try body(Row(result: pointer, index: index))
        }
    }

    borrowing func map<Value>(_ decode: (borrowing Row) throws -> Value) rethrows -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(rowCount)
        for index in 0..<PQntuples(pointer) {
            values.append(try decode(Row(result: pointer, index: index)))
        }
        return values
    }

    borrowing func first<Value>(_ decode: (borrowing Row) throws -> Value) rethrows -> Value? {
        rowCount > 0 ? try decode(Row(result: pointer, index: 0)) : nil
    }

    borrowing func error() -> PostgresError {
        guard let sqlState = field("C") else {
            let message = String(cString: PQresultErrorMessage(pointer)).firstLine
            return PostgresError(sqlState: "08006", message: message)
        }
        // A prepared statement outlived a change of its tables; planned anew it works. Other errors share the
        // code, so the server's function tells them apart.
        let isStalePlan = sqlState == "0A000" && field("R") == "RevalidateCachedQuery"
        return PostgresError(
            sqlState: sqlState,
            message: field("M") ?? "",
            detail: field("D"),
            constraint: field("n"),
            kind: isStalePlan ? .retryable : nil
        )
    }

    /// A part of the error, by its letter in the protocol.
    private borrowing func field(_ letter: Unicode.Scalar) -> String? {
        PQresultErrorField(pointer, Int32(letter.value)).map { String(cString: $0) }
    }
}
