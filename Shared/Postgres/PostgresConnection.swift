import CPostgres

/// One connection to Postgres.
///
/// - Threads: libpq blocks, so the actor runs on a queue of its own; calls line up behind each other in
///   order.
/// - Blocking: a call takes as long as its statement. `statementTimeoutMs` is the server's limit; a server
///   that stays silent for 5 s beyond it counts as lost. Without a limit only TCP ends the wait, about 25 s
///   after the network is gone.
/// - Ownership: libpq's handle is freed by `close()` or with the actor. Rows are lent to closures and never
///   kept.
/// - Errors: `PostgresError` says whether to come back later (`isUnavailable`), to run the transaction again
///   (`isRetryable`), or neither. After a lost connection `isOpen` is false and every call throws `08003`; a
///   connection never reconnects by itself, because its session state would be gone. `PostgresPool` does
///   that.
/// - Prepared statements: a text that comes again is prepared and kept, up to `preparedMax` a connection. Set
///   it to 0 behind a proxy that hands one server session to several clients.
public actor PostgresConnection {
    private let executor: QueueExecutor
    var link: Link?
    var statements: StatementCache
    var transactionDepth = 0
    /// Why a transaction failed, should its body swallow the error.
    var lastError: PostgresError?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// The session speaks UTF-8 and UTC; other settings in the URL win over the ones chosen here.
    public init(
        url: String,
        applicationName: String,
        connectTimeoutSeconds: Int = 5,
        statementTimeoutMs: Int? = nil,
        preparedMax: Int = 128
    ) async throws {
        let settings = ConnectSettings(
            url: url,
            applicationName: applicationName,
            timeoutSeconds: connectTimeoutSeconds,
            statementTimeoutMs: statementTimeoutMs
        )
        try await self.init(settings, preparedMax: preparedMax)
    }

    init(_ settings: ConnectSettings, preparedMax: Int = 128) async throws {
        executor = QueueExecutor(label: "postgres")
        statements = StatementCache(capacity: preparedMax)
        link = nil
        // From here on the actor is complete, so this runs on its queue and blocks no thread of Swift's.
        assertIsolated()
        link = try Link.connect(settings)
    }

    /// Whether the connection can be used, as far as can be told without asking the server.
    public var isOpen: Bool {
        guard let link else { return false }
        link.notice()
        dropIfUnusable(link)
        return self.link != nil
    }

    /// Whether somebody else may go on with it: open, and in no transaction.
    var isReusable: Bool { isOpen && link?.transactionStatus == PQTRANS_IDLE }

    /// Closes at once; what comes later throws `08003`.
    public func close() {
        link = nil
    }

    /// Runs one statement and returns how many rows it changed or returned.
    @discardableResult
    public func execute(_ sql: SQL) throws -> Int {
        try result(of: sql).affected
    }

    /// Runs one statement and decodes every row before returning.
    ///
    /// The whole answer is in memory meanwhile: give the statement a LIMIT, or use `forEachRow`.
    public func rows<Value: Sendable>(
        _ sql: SQL,
        decode: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        try result(of: sql).map(decode)
    }

    /// The first row, or nil when there is none.
    public func first<Value: Sendable>(
        _ sql: SQL,
        decode: (borrowing Row) throws -> Value
    ) throws -> Value? {
        try result(of: sql).first(decode)
    }

    /// Runs several statements, divided by semicolons and without values, as one implicit transaction.
    public func script(_ text: String) throws {
        _ = try command(text)
    }

    /// Runs several steps on the connection's queue without another caller's in between.
    @discardableResult
    public func perform<Value: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) throws -> Value
    ) throws -> Value {
        try body(self)
    }

    /// Limits how long a statement may run from now on; nil is without a limit.
    ///
    /// Use this rather than `SET statement_timeout`: it also moves the point at which a silent server counts
    /// as lost.
    public func setStatementTimeout(ms: Int?) throws {
        _ = try command("SET statement_timeout = \(ms ?? 0)")
        try withLink { $0.limitWait(statementTimeoutMs: ms) }
    }
}

extension PostgresConnection {
    /// Runs fixed text by the simple protocol.
    func command(_ text: String) throws -> ResultSet {
        try withLink { link in
            try withCStrings([text]) { texts in
                try link.run { PQsendQuery(link.pointer, texts[0]) }
            }
        }
    }

    /// Lends the link, and closes the connection when it turned out to be lost.
    func withLink<Value: ~Copyable>(_ body: (Link) throws -> Value) throws -> Value {
        guard let link else { throw PostgresError.closed }
        do {
            return try body(link)
        } catch {
            lastError = error as? PostgresError ?? lastError
            dropIfUnusable(link)
            throw error
        }
    }

    private func dropIfUnusable(_ link: Link) {
        if !link.isUsable { self.link = nil }
    }
}
