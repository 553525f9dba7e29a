import Testing

@testable import Postgres

/// The pool's decisions, without a server: connections are numbers, waiters are names.
@Suite struct PoolStateTests {
    typealias State = PoolState<Int, String>

    let away = PostgresError(sqlState: "08001", message: "refused")

    @Test func connectsUpToTheBoundThenWaits() {
        var state = State(connectionsMax: 2, waitersMax: 9)
        #expect(state.admit(nowMs: 0).text == "connect")
        #expect(state.admit(nowMs: 0).text == "connect")
        #expect(state.admit(nowMs: 0).text == "wait")
    }

    @Test func waitersAreCalledInOrder() {
        var state = State.full(waiters: ["first", "second"])
        let one = state.release(1, reusable: true, nowMs: 0)
        let two = state.release(1, reusable: true, nowMs: 0)
        #expect(one.text == ["first: use 1"])
        #expect(two.text == ["second: use 1"])
    }

    @Test func aLostConnectionIsReplacedByTheNextInLine() {
        var state = State.full(waiters: ["first"])
        #expect(state.release(1, reusable: false, nowMs: 0).text == ["first: connect"])
        #expect(state.taken == 1)
    }

    @Test func whoGaveUpIsNotCalled() {
        var state = State.full(waiters: ["first", "second"])
        #expect(state.giveUp(id: 0) == "first")
        #expect(state.giveUp(id: 0) == nil)
        #expect(state.release(1, reusable: true, nowMs: 0).text == ["second: use 1"])
    }

    @Test func tooManyWaitersAreRefused() {
        var state = State(connectionsMax: 1, waitersMax: 1)
        _ = state.admit(nowMs: 0)
        _ = state.enqueue("first", id: 0, nowMs: 0)
        #expect(state.admit(nowMs: 0).text == "fail 08000")
    }

    @Test func failsFastWhileDownAndProbesOneAtATime() {
        var state = State(connectionsMax: 5, waitersMax: 9)
        _ = state.admit(nowMs: 0)
        _ = state.connectFailed(away, nowMs: 0)

        #expect(state.admit(nowMs: State.firstDelayMs - 1).text == "fail 08001")
        #expect(state.admit(nowMs: State.firstDelayMs).text == "connect")
        #expect(state.admit(nowMs: State.firstDelayMs).text == "fail 08001")
    }

    @Test func delaysGrowToTheirBound() {
        var state = State(connectionsMax: 1, waitersMax: 9)
        var nowMs: Int64 = 0
        for _ in 0..<20 {
            #expect(state.admit(nowMs: nowMs).text == "connect")
            _ = state.connectFailed(away, nowMs: nowMs)
            nowMs += State.delayMsMax
        }
        #expect(state.admit(nowMs: nowMs - 1).text == "fail 08001")
        #expect(state.admit(nowMs: nowMs).text == "connect")
    }

    @Test func successEndsTheOutage() {
        var state = State(connectionsMax: 2, waitersMax: 9)
        _ = state.admit(nowMs: 0)
        _ = state.connectFailed(away, nowMs: 0)
        _ = state.admit(nowMs: 1_000)
        _ = state.connected(nowMs: 1_000)
        #expect(state.admit(nowMs: 1_000).text == "connect")
    }

    @Test func aFailedConnectFailsThoseInLine() {
        var state = State.full(waiters: ["first", "second"])
        #expect(state.connectFailed(away, nowMs: 0).text == ["first: fail 08001", "second: fail 08001"])
        #expect(state.taken == 0)
    }

    @Test func aFullServerLetsCallersWaitForOurOwnConnections() {
        var state = State(connectionsMax: 2, waitersMax: 9)
        _ = state.admit(nowMs: 0)
        _ = state.connected(nowMs: 0)
        _ = state.admit(nowMs: 0)
        _ = state.connectFailed(PostgresError(sqlState: "53300", message: ""), nowMs: 0)
        #expect(state.admit(nowMs: 1).text == "wait")
    }

    @Test func closingRefusesEverybody() {
        var state = State.full(waiters: ["first"])
        #expect(state.close().calls.text == ["first: fail 08000"])
        #expect(state.admit(nowMs: 0).text == "fail 08000")
        _ = state.release(1, reusable: true, nowMs: 0)
        #expect(state.taken == 0)
    }
}

extension PoolState<Int, String> {
    /// A pool whose one connection is in use.
    fileprivate static func full(waiters: [String]) -> Self {
        var state = Self(connectionsMax: 1, waitersMax: 9)
        _ = state.admit(nowMs: 0)
        for (id, waiter) in waiters.enumerated() { _ = state.enqueue(waiter, id: UInt64(id), nowMs: 0) }
        return state
    }
}

extension PoolState<Int, String>.Admission {
    fileprivate var text: String {
        switch self {
        case .turn(let turn): turn.text
        case .wait: "wait"
        }
    }
}

extension PoolTurn<Int> {
    fileprivate var text: String {
        switch self {
        case .use(let connection): "use \(connection)"
        case .connect: "connect"
        case .fail(let error): "fail \(error.sqlState)"
        }
    }
}

extension [PoolState<Int, String>.Call] {
    fileprivate var text: [String] { map { "\($0.waiter): \($0.turn.text)" } }
}
