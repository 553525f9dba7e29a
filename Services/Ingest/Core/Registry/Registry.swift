public import ServiceKit
import Synchronization

/// Answers whether a write key is valid, from memory.
///
/// A cached "valid" lives exactly as long as the snapshot it is in: use never renews it. What is not in the snapshot is unknown only
/// while the snapshot is known to be fresh; otherwise nobody can tell, and the client must not be told to give up.
public final class Registry: Sendable {
    public enum Answer: Sendable, Equatable {
        case known(RegisteredKey)
        case unknown
        /// The key is not in a snapshot that may be old.
        case undecided
    }

    private struct State {
        var snapshot = RegistrySnapshot()
        /// Monotonic time at which Postgres last said that the snapshot is current.
        var confirmedMs: Int64?
    }

    /// Until an unconfirmed snapshot no longer counts as fresh.
    static let freshMsMax: Int64 = 15_000
    private let state = Mutex(State())
    private let clock: any MonotonicClock

    public init(clock: any MonotonicClock) {
        self.clock = clock
    }

    public func find(_ key: String) -> Answer {
        let nowMs = clock.nowMs()
        return state.withLock { state in
            if let found = state.snapshot.keys[key] { return .known(found) }
            guard let confirmedMs = state.confirmedMs, nowMs - confirmedMs <= Self.freshMsMax else {
                return .undecided
            }
            return .unknown
        }
    }

    public var version: Int64 { state.withLock { $0.snapshot.version } }

    /// The version that Postgres has given or confirmed; nil for a snapshot from disk, which may be another database's.
    var confirmedVersion: Int64? {
        state.withLock { $0.confirmedMs == nil ? nil : $0.snapshot.version }
    }

    public var keyCount: Int { state.withLock { $0.snapshot.keys.count } }

    /// Takes a snapshot from disk: usable, but not confirmed.
    func restore(_ snapshot: RegistrySnapshot) {
        state.withLock { $0.snapshot = snapshot }
    }

    /// Takes a snapshot that Postgres has just given.
    func replace(with snapshot: RegistrySnapshot) {
        let nowMs = clock.nowMs()
        state.withLock { state in
            state.snapshot = snapshot
            state.confirmedMs = nowMs
        }
    }

    /// Notes that the snapshot is still current.
    func confirm() {
        let nowMs = clock.nowMs()
        state.withLock { $0.confirmedMs = nowMs }
    }
}
