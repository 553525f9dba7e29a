import Contracts
import Postgres
public import ServiceKit
import Synchronization

/// The store has no key, yet the ledger names people who must not come back.
public struct SuppressionKeyMissing: Error, Sendable {}

/// Takes the events of erased people out of a batch, inside the transaction that stores it.
///
/// An app without rows in the ledger costs nothing, and so does an event after all of its app's erasures: only what is replayed, late, or
/// comes while an erasure runs is hashed and looked up. Remembered are two instants an app, for as long as the store's epoch stays: the
/// ledger gets rules of a new request only where the epoch moves.
public final class SuppressionFilter: Sendable {
    private struct Windows {
        let epoch: Int64
        let byApp: [Int32: SuppressionRule]
    }

    let hasher: SubjectHasher
    private let clock: any WallClock
    private let windows = Mutex<Windows?>(nil)

    public init(_ hasher: SubjectHasher, clock: any WallClock = SystemWallClock()) {
        self.hasher = hasher
        self.clock = clock
    }

    /// Removes what is suppressed and returns how many events that were.
    ///
    /// - Throws: `SuppressionKeyMissing` when there is no filter and the ledger is not empty: better to stop than to store them.
    static func apply(
        _ filter: SuppressionFilter?,
        to staged: inout AdmittedEvents,
        epoch: Int64,
        _ connection: isolated PostgresConnection
    ) throws -> Int {
        if let filter { return try filter.apply(to: &staged, epoch: epoch, connection) }
        let isNeeded = try connection.first("SELECT EXISTS (SELECT FROM suppressions) LIMIT 1") {
            try $0.bool(0)
        }
        guard isNeeded == false else { throw SuppressionKeyMissing() }
        return 0
    }

    private func apply(
        to staged: inout AdmittedEvents,
        epoch: Int64,
        _ connection: isolated PostgresConnection
    ) throws -> Int {
        let windows = try windows(epoch, connection)
        guard !windows.isEmpty else { return 0 }
        let inReach = staged.events.indices.filter { index in
            let event = staged.events[index]
            return windows[event.app]?.covers(event) ?? false
        }
        guard !inReach.isEmpty else { return 0 }
        var batch = SuppressionBatch(staged.events, inReach, hasher)
        batch.rules = try SuppressionLedger.rules(for: batch.keys, connection)
        guard !batch.rules.isEmpty else { return 0 }
        let (suppressed, links) = try batch.decide(connection)
        try LateLinks.write(links, connection)
        try batch.noteClocksAhead(suppressed, nowMs: clock.nowMs(), connection)
        staged.remove(suppressed)
        return suppressed.count
    }

    private func windows(_ epoch: Int64, _ connection: isolated PostgresConnection) throws -> [Int32:
        SuppressionRule]
    {
        if let known = windows.withLock({ $0 }), known.epoch == epoch { return known.byApp }
        let byApp = try SuppressionLedger.windows(connection)
        windows.withLock { $0 = Windows(epoch: epoch, byApp: byApp) }
        return byApp
    }
}

extension SuppressionRule {
    func covers(_ staged: AdmittedEvents.Event) -> Bool {
        covers(receivedAtMs: staged.receivedAtMs, timeMs: staged.event.eventTimeMs)
    }
}
