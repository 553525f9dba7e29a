import CPostgres

extension PostgresConnection {
    /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// The body cannot wait for anything else, so a transaction is never held open across a suspension. For
    /// another isolation level begin the body with `SET TRANSACTION …`. Inside another transaction this is a
    /// savepoint. A body that swallows a statement's error gets that error thrown here, since Postgres
    /// commits nothing after it. An error of `COMMIT` has `atCommit` set; the outcome is unknown if it is
    /// also `isUnavailable`.
    @discardableResult
    public func transaction<Value: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) throws -> Value
    ) throws -> Value {
        guard transactionDepth == 0 else { return try savepoint(body) }
        guard try withLink({ $0.transactionStatus }) == PQTRANS_IDLE else {
            throw PostgresError.misuse("a transaction is already open, or rows are under way")
        }
        _ = try command("BEGIN")
        return try nested(body, undo: "ROLLBACK") { try commit() }
    }

    private func savepoint<Value: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) throws -> Value
    ) throws -> Value {
        let name = "fg_savepoint_\(transactionDepth)"
        _ = try command("SAVEPOINT \(name)")
        return try nested(body, undo: "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)") {
            _ = try command("RELEASE SAVEPOINT \(name)")
        }
    }

    private func nested<Value: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) throws -> Value,
        undo: String,
        finish: () throws -> Void
    ) throws -> Value {
        transactionDepth += 1
        defer { transactionDepth -= 1 }
        lastError = nil
        do {
            let value = try body(self)
            try checkUnfailed()
            try finish()
            return value
        } catch {
            roll(back: undo)
            throw error
        }
    }

    /// Throws when the body left the transaction in another state than it found it in.
    private func checkUnfailed() throws {
        switch try withLink({ $0.transactionStatus }) {
        case PQTRANS_INTRANS: return
        case PQTRANS_INERROR:
            throw lastError ?? PostgresError(sqlState: "25P02", message: "the transaction has failed")
        default: throw PostgresError.misuse("the body ended its transaction itself")
        }
    }

    private func commit() throws {
        do {
            guard try command("COMMIT").command == "COMMIT" else {
                throw PostgresError(sqlState: "25P02", message: "the server rolled back")
            }
        } catch var error as PostgresError {
            error.atCommit = true
            throw error
        }
    }

    /// Leaves the transaction; a connection that cannot even do that is closed, which rolls back as well.
    private func roll(back undo: String) {
        let status = link?.transactionStatus
        guard status == PQTRANS_INTRANS || status == PQTRANS_INERROR else { return }
        do {
            _ = try command(undo)
        } catch {
            close()
        }
    }
}
