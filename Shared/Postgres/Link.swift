import CPostgres
import Glibc

/// Sole owner of a `PGconn`, freed with the last reference: its actor's, and a `BinaryCopyWriter`'s during a
/// COPY.
///
/// Who calls: one thread at a time, the actor's queue; libpq calls nobody back but the notice receiver, which
/// drops what it is given. What it copies: parameters and COPY data before each call returns. What blocks:
/// every function here that waits for the server, `waitMsMax` per silence at most (for ever when nil, save
/// that TCP gives up on a dead network after about 25 s); name resolution while connecting, as long as the
/// resolver takes. The socket is non-blocking, so that each wait can have its limit. A link that failed while
/// waiting is unusable and says so in `isUsable`.
final class Link {
    let pointer: OpaquePointer
    /// The longest silence of the server that is waited out.
    private var waitMsMax: Int?
    private let answerGraceMs: Int
    /// True while rows or COPY data are under way, when nothing else may be sent.
    var isStreaming = false
    private var isBroken = false

    var isUsable: Bool { !isBroken && PQstatus(pointer) == CONNECTION_OK }
    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(pointer) }

    private init(pointer: OpaquePointer, answerGraceMs: Int) {
        self.pointer = pointer
        self.answerGraceMs = answerGraceMs
        PQsetNoticeReceiver(pointer, { _, _ in }, nil)
    }

    deinit { PQfinish(pointer) }

    static func connect(_ settings: ConnectSettings) throws -> Link {
        try settings.checkURL()
        let link = Link(pointer: try start(settings), answerGraceMs: settings.answerGraceMs)
        // Verbose only while connecting: it is the one way to learn the SQLSTATE of a refused log-in.
        PQsetErrorVerbosity(link.pointer, PQERRORS_VERBOSE)
        try link.finishConnecting(within: settings.timeoutSeconds * 1_000)
        PQsetErrorVerbosity(link.pointer, PQERRORS_DEFAULT)
        guard PQsetnonblocking(link.pointer, 1) == 0 else { throw link.failure() }
        link.waitMsMax = settings.timeoutSeconds * 1_000
        _ = try link.run { PQsendQuery(link.pointer, settings.setup) }
        link.limitWait(statementTimeoutMs: settings.statementTimeoutMs)
        return link
    }

    func limitWait(statementTimeoutMs: Int?) {
        waitMsMax = statementTimeoutMs.map { $0 + answerGraceMs }
    }

    private static func start(_ settings: ConnectSettings) throws -> OpaquePointer {
        let keywords = settings.keywords
        return try withCStrings(keywords.map(\.0)) { names in
            try withCStrings(keywords.map(\.1)) { values in
                guard let pointer = PQconnectStartParams(names, values, 1) else {
                    throw PostgresError(sqlState: "53200", message: "no memory for a connection")
                }
                return pointer
            }
        }
    }

    private func finishConnecting(within timeoutMs: Int) throws {
        guard PQstatus(pointer) != CONNECTION_BAD else { throw ConnectFailure.error(of: pointer) }
        let deadline = Deadline(afterMs: timeoutMs)
        var need = PGRES_POLLING_WRITING
        while need != PGRES_POLLING_OK {
            guard need != PGRES_POLLING_FAILED else { throw ConnectFailure.error(of: pointer) }
            let events = need == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard try ready(Int16(events), until: deadline) != 0 else {
                throw PostgresError(
                    sqlState: "08001",
                    message: "no answer from the server within \(timeoutMs) ms"
                )
            }
            need = PQconnectPoll(pointer)
        }
    }

    /// Waits until the socket can do one of `events`; 0 when time is up.
    private func ready(_ events: Int16, until deadline: Deadline) throws -> Int16 {
        while true {
            var wanted = pollfd(fd: PQsocket(pointer), events: events, revents: 0)
            guard wanted.fd >= 0 else { throw broken("the connection has no socket") }
            let count = poll(&wanted, 1, deadline.remainingMs)
            if count >= 0 { return wanted.revents }
            guard errno == EINTR else { throw broken("poll failed with errno \(errno)") }
        }
    }

    /// Waits for the server, no longer than it may be silent.
    func awaitServer(_ events: Int32) throws {
        let ready = try ready(Int16(events), until: Deadline(afterMs: waitMsMax))
        guard ready != 0 else {
            throw broken("no answer from the server within \(waitMsMax ?? 0) ms")
        }
        // Whatever else is wanted, reading first keeps both sides from waiting for each other with full
        // buffers.
        if Int32(ready) & ~POLLOUT != 0, PQconsumeInput(pointer) == 0 { throw failure() }
    }

    /// Hands everything that was queued to the socket.
    func flush() throws {
        while true {
            switch PQflush(pointer) {
            case 0: return
            case 1: try awaitServer(POLLIN | POLLOUT)
            default: throw failure()
            }
        }
    }

    /// The next result of what was sent, or nil after the last.
    func nextResult() throws -> ResultSet? {
        while PQisBusy(pointer) == 1 { try awaitServer(POLLIN) }
        guard let result = PQgetResult(pointer) else { return nil }
        return ResultSet(owning: result)
    }

    /// Sends by `send` and waits for all results; the last one is the answer, the first error is thrown.
    func run(_ send: () -> Int32) throws -> ResultSet {
        try begin(send)
        return try collect()
    }

    func begin(_ send: () -> Int32) throws {
        guard !isStreaming else {
            throw PostgresError.misuse("rows or COPY data are under way on this connection")
        }
        guard send() == 1 else { throw failure() }
        try flush()
    }

    func collect() throws -> ResultSet {
        var last: ResultSet?
        var firstError: PostgresError?
        var next = try nextResult()
        while let result = next.take() {
            let outcome = result.outcome
            if outcome == .copy { throw abandon("COPY needs copyIn") }
            if outcome == .failed { firstError = firstError ?? result.error() }
            last = .some(result)
            do {
                next = try nextResult()
            } catch {
                // A server that goes down says why, and then the line breaks: the reason is worth more.
                throw firstError ?? error
            }
        }
        if let firstError { throw firstError }
        guard let last else { throw failure() }
        return last
    }

    /// Reads what is left of an answer and drops it; a link on which that fails is unusable.
    func drain() {
        do {
            while let result = try nextResult() {
                if result.outcome == .copy { throw abandon("COPY needs copyIn") }
            }
        } catch {
            isBroken = true
        }
    }

    /// Gives the link up: there is no polite way out of every kind of COPY.
    func abandon(_ message: String) -> PostgresError {
        isBroken = true
        return PostgresError.misuse(message)
    }

    /// The next notification, waiting for one until `deadline`.
    func notification(until deadline: Deadline) throws -> PostgresNotification? {
        while true {
            if let notify = PQnotifies(pointer) {
                defer { PQfreemem(notify) }
                return PostgresNotification(
                    channel: String(cString: notify.pointee.relname),
                    payload: String(cString: notify.pointee.extra),
                    serverProcess: notify.pointee.be_pid
                )
            }
            guard try ready(Int16(POLLIN), until: deadline) != 0 else { return nil }
            guard PQconsumeInput(pointer) == 1 else { throw failure() }
        }
    }

    /// Learns, without waiting, that the server has closed an idle connection.
    func notice() {
        do {
            // The server's last words come before the end of the line, which takes another look.
            while try ready(Int16(POLLIN), until: Deadline(afterMs: 0)) != 0 {
                guard PQconsumeInput(pointer) == 1 else { throw failure() }
            }
        } catch {
            isBroken = true
        }
    }

    /// Asks the server to stop the statement that is running; the answer still has to be read.
    func cancel() {
        guard let cancel = PQgetCancel(pointer) else { return }
        defer { PQfreeCancel(cancel) }
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(cancel, &message, Int32(message.count))
    }

    /// The error that libpq itself reports.
    func failure() -> PostgresError {
        let text = String(cString: PQerrorMessage(pointer)).firstLine
        guard PQstatus(pointer) != CONNECTION_OK else {
            return PostgresError(sqlState: "55000", message: text, kind: .other)
        }
        return PostgresError(sqlState: "08006", message: text)
    }

    private func broken(_ message: String) -> PostgresError {
        isBroken = true
        return PostgresError(sqlState: "08006", message: message)
    }
}

extension String {
    /// libpq adds advice in further lines, which no log needs.
    var firstLine: String {
        String(split(separator: "\n").first ?? "")
    }
}
