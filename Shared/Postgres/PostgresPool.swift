import Synchronization

/// A bounded set of connections that are made when needed and kept.
///
/// - At most `connectionsMax` exist. Who finds none free waits in line, first come, first served, for
///   `waitMsMax` at most, and then gets an error that says `isUnavailable`; so do at once those who come when
///   `waitersMax` wait already.
/// - A connection that was lost, or comes back inside a transaction, is closed and replaced when needed.
/// - While Postgres cannot be reached, callers get the last error at once. One caller at a time tries again:
///   after 100 ms at first, then ever more rarely, down to once in 5 s.
/// - Session state (`SET`, `LISTEN`, temporary tables) stays with a connection: restore it, or use a
///   connection of your own.
public final class PostgresPool: Sendable {
    private typealias Turn = PoolTurn<PostgresConnection>
    private typealias Waiter = CheckedContinuation<Turn, any Error>
    private typealias State = PoolState<PostgresConnection, Waiter>

    private let settings: ConnectSettings
    private let waitMsMax: Int
    private let state: Mutex<State>
    private let nextID = Atomic<UInt64>(0)

    public init(
        url: String,
        applicationName: String,
        connectionsMax: Int,
        waitMsMax: Int = 5_000,
        waitersMax: Int = 1_000,
        connectTimeoutSeconds: Int = 5,
        statementTimeoutMs: Int? = nil
    ) {
        settings = ConnectSettings(
            url: url,
            applicationName: applicationName,
            timeoutSeconds: connectTimeoutSeconds,
            statementTimeoutMs: statementTimeoutMs
        )
        self.waitMsMax = waitMsMax
        state = Mutex(State(connectionsMax: max(1, connectionsMax), waitersMax: waitersMax))
    }

    /// Lends a connection until `body` returns.
    ///
    /// Do not ask for a second one inside: when all callers hold one and wait for another, nobody gets on.
    public nonisolated(nonsending) func withConnection<Value>(
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await acquire()
        do {
            let value = try await body(connection)
            await release(connection, isSuspect: false)
            return value
        } catch {
            await release(connection, isSuspect: (error as? PostgresError)?.isUnavailable ?? false)
            throw error
        }
    }

    /// Closes idle connections now and the others as they come back; who waits or comes later gets an error.
    public func close() {
        // Dropping the last reference frees a connection, and closes it.
        let closed = state.withLock { $0.close() }
        resume(closed.calls)
    }

    private func acquire() async throws -> PostgresConnection {
        while true {
            switch try await turn() {
            case .use(let connection):
                // The server may have closed it while it was idle.
                if await connection.isReusable { return connection }
                await release(connection, isSuspect: true)
            case .connect: return try await connect()
            case .fail(let error): throw error
            }
        }
    }

    private func turn() async throws -> Turn {
        switch state.withLock({ $0.admit(nowMs: Monotonic.nowMs()) }) {
        case .turn(let turn): turn
        case .wait: try await wait()
        }
    }

    private func wait() async throws -> Turn {
        let id = nextID.wrappingAdd(1, ordering: .relaxed).newValue
        let timer = Task { [waitMsMax] in
            try await Task.sleep(for: .milliseconds(waitMsMax))
            giveUp(id, because: PostgresError.pool("no connection was free within \(waitMsMax) ms"))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                resume(state.withLock { $0.enqueue(continuation, id: id, nowMs: Monotonic.nowMs()) })
                // A cancellation before this line found nobody in the queue yet.
                if Task.isCancelled { giveUp(id, because: CancellationError()) }
            }
        } onCancel: {
            giveUp(id, because: CancellationError())
        }
    }

    private func giveUp(_ id: UInt64, because error: any Error) {
        state.withLock { $0.giveUp(id: id) }?.resume(throwing: error)
    }

    private func connect() async throws -> PostgresConnection {
        do {
            let connection = try await PostgresConnection(settings)
            resume(state.withLock { $0.connected(nowMs: Monotonic.nowMs()) })
            return connection
        } catch {
            let failure = error as? PostgresError ?? .pool("no connection")
            resume(state.withLock { $0.connectFailed(failure, nowMs: Monotonic.nowMs()) })
            throw error
        }
    }

    private func release(_ connection: PostgresConnection, isSuspect: Bool) async {
        let isReusable = await connection.isReusable && !isSuspect
        if !isReusable { await connection.close() }
        let calls = state.withLock {
            $0.release(connection, reusable: isReusable, nowMs: Monotonic.nowMs())
        }
        resume(calls)
    }

    private func resume(_ calls: [State.Call]) {
        for call in calls { call.waiter.resume(returning: call.turn) }
    }
}
