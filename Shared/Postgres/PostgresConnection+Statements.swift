import CPostgres

extension PostgresConnection {
    /// A statement's parameters are counted in 16 bits on the wire.
    static let parametersMax = 65_535

    func result(of sql: SQL) throws -> ResultSet {
        try withLink { link in
            try retryingStalePlan(of: sql, on: link) {
                try begin(sql, on: link)
                return try link.collect()
            }
        }
    }

    /// Streams an answer of any length, one row in memory at a time.
    ///
    /// Nothing else can use the connection meanwhile, not even `body`. When `body` throws, the statement is
    /// cancelled, what was under way is dropped, and the connection stays usable; a transaction around it has
    /// failed then.
    public func forEachRow(_ sql: SQL, _ body: (borrowing Row) throws -> Void) throws {
        try withLink { link in
            try retryingStalePlan(of: sql, on: link) {
                try begin(sql, on: link)
                guard PQsetSingleRowMode(link.pointer) == 1 else { throw link.failure() }
                link.isStreaming = true
                defer { link.isStreaming = false }
                try stream(from: link, body)
            }
        }
    }

    private func stream(from link: Link, _ body: (borrowing Row) throws -> Void) throws {
        while let result = try link.nextResult() {
            do {
                switch result.outcome {
                case .done: try result.forEach(body)
                case .failed: throw result.error()
                case .copy: throw link.abandon("COPY needs copyIn")
                }
            } catch {
                if result.outcome == .done { link.cancel() }
                link.drain()
                throw error
            }
        }
    }

    /// Plans a statement again, once, when its prepared form no longer fits the tables.
    ///
    /// Inside a transaction there is nothing left to save: the error says `isRetryable` and the whole must
    /// run again.
    private func retryingStalePlan<Value: ~Copyable>(
        of sql: SQL,
        on link: Link,
        _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError where error.isStalePlan {
            if error.sqlState == "26000" { statements.forgetAll() } else { statements.forget(sql.text) }
            guard link.isUsable, link.transactionStatus == PQTRANS_IDLE else { throw error }
            return try body()
        }
    }

    /// Sends a statement; its results are still to be read.
    private func begin(_ sql: SQL, on link: Link) throws {
        guard sql.values.count <= Self.parametersMax else {
            throw PostgresError(
                sqlState: "54023",
                message:
                    "\(sql.values.count) parameters, and \(Self.parametersMax) are the most: send an array"
            )
        }
        deallocateOrphans(on: link)
        let text = sql.text
        // A failed transaction accepts nothing, so that preparing would only hide why.
        let mayPrepare = sql.mayBePrepared && link.transactionStatus != PQTRANS_INERROR
        let plan = mayPrepare ? statements.plan(for: text) : .once
        try withCStrings([text] + sql.values) { texts in
            let count = Int32(sql.values.count)
            switch plan {
            case .once:
                try link.begin {
                    PQsendQueryParams(link.pointer, texts[0], count, nil, texts + 1, nil, nil, 1)
                }
            case .prepare(let name):
                _ = try link.run { PQsendPrepare(link.pointer, name, texts[0], 0, nil) }
                statements.prepared(text, as: name)
                try link.begin { PQsendQueryPrepared(link.pointer, name, count, texts + 1, nil, nil, 1) }
            case .reuse(let name):
                try link.begin { PQsendQueryPrepared(link.pointer, name, count, texts + 1, nil, nil, 1) }
            }
        }
    }

    /// Frees statements that were forgotten; only between transactions, because a failure would spoil one.
    private func deallocateOrphans(on link: Link) {
        guard !statements.orphans.isEmpty, link.transactionStatus == PQTRANS_IDLE else { return }
        let text = statements.orphans.map { "DEALLOCATE \($0)" }.joined(separator: ";")
        statements.orphansDeallocated()
        // The server may have dropped them already (`DISCARD ALL`), which is as good.
        _ = try? link.run { PQsendQuery(link.pointer, text) }
    }
}

extension PostgresError {
    fileprivate var isStalePlan: Bool {
        sqlState == "26000" || (sqlState == "0A000" && isRetryable)
    }
}
