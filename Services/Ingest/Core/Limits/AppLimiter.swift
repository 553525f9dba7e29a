import Contracts
public import ServiceKit
import Synchronization

/// Limits each app to its events a second over all instances: this one gives out its share.
///
/// Whole batches are let through or refused, so nothing is stored half-way.
public final class AppLimiter: Sendable {
    static let eventsPerSecond: Int64 = 2_000
    private let buckets = Mutex<[UUID128: TokenBucket]>([:])
    private let instances = Atomic(1)
    private let clock: any MonotonicClock

    public init(clock: any MonotonicClock) {
        self.clock = clock
    }

    /// How many instances share the limit; at least this one.
    func setInstances(_ count: Int) {
        instances.store(max(1, count), ordering: .relaxed)
    }

    var instanceCount: Int { instances.load(ordering: .relaxed) }

    var rate: TokenBucket.Rate {
        let share = max(1, Self.eventsPerSecond / Int64(instanceCount))
        return TokenBucket.Rate(capacity: share, perMinute: share * 60)
    }

    /// Returns nil when the events may pass, else the seconds to wait, at least one.
    func admit(_ count: Int, app: UUID128) -> Int? {
        let (rate, nowNs) = (rate, clock.nowNs())
        let waitNs = buckets.withLock { buckets in
            buckets[app, default: TokenBucket(full: rate, nowNs: nowNs)].takeAll(
                Int64(count),
                rate,
                nowNs: nowNs
            )
        }
        return waitNs.map { Int(clamping: max(1, ($0 + 999_999_999) / 1_000_000_000)) }
    }

    func giveBack(_ count: Int, app: UUID128) {
        let rate = rate
        buckets.withLock { $0[app]?.giveBack(Int64(count), rate) }
    }

    /// Forgets full buckets; only known apps have any, so their number is bounded by the registry.
    func sweep() {
        let (rate, nowNs) = (rate, clock.nowNs())
        buckets.withLock { buckets in
            buckets = buckets.filter { entry in
                var bucket = entry.value
                return !bucket.isFull(rate, nowNs: nowNs)
            }
        }
    }
}
