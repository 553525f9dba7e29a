import CPostgres

extension PostgresConnection {
    /// Loads rows by binary COPY and returns how many.
    ///
    /// `statement` is ours, such as `COPY t (a, b) FROM STDIN (FORMAT binary)`. When `body` throws, nothing
    /// is stored, its error comes back, and the connection stays usable. Nothing else can use the connection
    /// meanwhile.
    @discardableResult
    public func copyIn(
        _ statement: String,
        _ body: (inout BinaryCopyWriter) throws -> Void
    ) throws -> Int {
        try withLink { link in
            try startCopy(statement, on: link)
            link.isStreaming = true
            defer { link.isStreaming = false }

            var writer = BinaryCopyWriter(link: link)
            do {
                try body(&writer)
                writer.finish()
                try writer.check()
            } catch {
                try stopCopy(on: link, because: error)
            }
            guard PQputCopyEnd(link.pointer, nil) == 1 else { throw link.failure() }
            try link.flush()
            return try link.collect().affected
        }
    }

    private func startCopy(_ statement: String, on link: Link) throws {
        try withCStrings([statement]) { texts in
            try link.begin { PQsendQuery(link.pointer, texts[0]) }
        }
        guard let answer = try link.nextResult() else { throw link.failure() }
        guard answer.status == PGRES_COPY_IN else {
            guard answer.outcome == .failed else { throw link.abandon("not a COPY … FROM STDIN") }
            let error = answer.error()
            link.drain()
            throw error
        }
        guard answer.isBinary else {
            try stopCopy(on: link, because: PostgresError.misuse("COPY must say FORMAT binary"))
            return
        }
    }

    /// Ends a COPY without storing anything, and throws `reason`.
    ///
    /// When it was the server that ended the COPY, its own error says more than ours about the pipe it left,
    /// and is thrown.
    private func stopCopy(on link: Link, because reason: any Error) throws {
        let ended = PQputCopyEnd(link.pointer, "ended by the client") == 1
        if ended { try link.flush() }
        do {
            _ = try link.collect()
        } catch let error as PostgresError where !ended && link.isUsable {
            throw error
        } catch {}
        throw reason
    }
}
