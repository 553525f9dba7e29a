/// What somebody who wants a connection shall do.
enum PoolTurn<Connection> {
    case use(Connection)
    case connect
    case fail(PostgresError)
}

extension PoolTurn: Sendable where Connection: Sendable {}

/// What a pool knows, and what it decides; the pool does what this says outside its lock.
///
/// `Connection` and `Waiter` are parameters so that every decision can be tested without a server.
struct PoolState<Connection, Waiter> {
    typealias Turn = PoolTurn<Connection>

    enum Admission {
        case turn(Turn)
        case wait
    }

    /// Somebody who waited and may go on now.
    struct Call {
        let waiter: Waiter
        let turn: Turn
    }

    /// Postgres could not be reached: until `retryAtMs` nobody tries, and then one at a time.
    private struct Outage {
        var error: PostgresError
        var retryAtMs: Int64
        var delayMs: Int64
        var isProbing: Bool
    }

    static var firstDelayMs: Int64 { 100 }
    static var delayMsMax: Int64 { 5_000 }

    let connectionsMax: Int
    let waitersMax: Int
    private var idle: [Connection] = []
    /// Connections that are idle, in use, or being made.
    private(set) var taken = 0
    private var waiters: [(id: UInt64, waiter: Waiter)] = []
    private var outage: Outage?
    private var isClosed = false

    init(connectionsMax: Int, waitersMax: Int) {
        self.connectionsMax = connectionsMax
        self.waitersMax = waitersMax
    }

    mutating func admit(nowMs: Int64) -> Admission {
        if let turn = nextTurn(nowMs: nowMs) { return .turn(turn) }
        guard waiters.count < waitersMax else {
            return .turn(.fail(.pool("\(waitersMax) callers wait for a connection already")))
        }
        return .wait
    }

    /// Queues a caller that `admit` told to wait, or calls it at once should things have changed since.
    mutating func enqueue(_ waiter: Waiter, id: UInt64, nowMs: Int64) -> [Call] {
        waiters.append((id, waiter))
        return callWaiters(nowMs: nowMs)
    }

    /// Takes a waiter out of the queue whose time is up or whose task was cancelled; nil when it was called
    /// already.
    mutating func giveUp(id: UInt64) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    mutating func connected(nowMs: Int64) -> [Call] {
        outage = nil
        return callWaiters(nowMs: nowMs)
    }

    mutating func connectFailed(_ error: PostgresError, nowMs: Int64) -> [Call] {
        taken -= 1
        let delay = outage.map { min($0.delayMs * 2, Self.delayMsMax) } ?? Self.firstDelayMs
        outage = Outage(error: error, retryAtMs: nowMs + delay, delayMs: delay, isProbing: false)
        return callWaiters(nowMs: nowMs)
    }

    /// Takes a connection back.
    mutating func release(_ connection: Connection, reusable: Bool, nowMs: Int64) -> [Call] {
        if reusable, !isClosed {
            idle.append(connection)
        } else {
            taken -= 1
        }
        return callWaiters(nowMs: nowMs)
    }

    /// Ends the pool; the idle connections are the caller's to close.
    mutating func close() -> (idle: [Connection], calls: [Call]) {
        isClosed = true
        defer { idle = [] }
        taken -= idle.count
        return (idle, callWaiters(nowMs: 0))
    }

    private mutating func callWaiters(nowMs: Int64) -> [Call] {
        var calls: [Call] = []
        while !waiters.isEmpty, let turn = nextTurn(nowMs: nowMs) {
            calls.append(Call(waiter: waiters.removeFirst().waiter, turn: turn))
        }
        return calls
    }

    /// What the next caller shall do, or nil to wait.
    ///
    /// During an outage nobody waits, unless it means that the server has fewer places than the pool would
    /// like: then those who have a connection will give it back.
    private mutating func nextTurn(nowMs: Int64) -> Turn? {
        if isClosed { return .fail(.pool("the pool is closed")) }
        if let connection = idle.popLast() { return .use(connection) }
        guard taken < connectionsMax else { return nil }
        if let outage {
            guard !outage.isProbing, nowMs >= outage.retryAtMs else {
                return outage.error.sqlState == "53300" && taken > 0 ? nil : .fail(outage.error)
            }
            self.outage?.isProbing = true
        }
        taken += 1
        return .connect
    }
}

extension PostgresError {
    static func pool(_ message: String) -> PostgresError {
        PostgresError(sqlState: "08000", message: message)
    }
}
