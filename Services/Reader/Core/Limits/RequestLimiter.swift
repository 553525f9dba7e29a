import Contracts
import ServiceKit
import Synchronization

/// Limits each secret key to so many requests a second over all instances: this one gives out its share.
///
/// Only keys that have proved valid have a bucket, so strangers cannot fill the memory; a key's bucket is looked at before the database is,
/// so a script that hammers costs nobody else a connection. Every request with a valid key counts, whatever it is answered.
final class RequestLimiter: Sendable {
    static let perSecond: Int64 = 10
    static let burst: Int64 = 30
    /// Beyond this many busy keys further ones are let through.
    static let keysMax = 10_000

    /// How many readers share the limit.
    private let instances: Atomic<Int>
    private let clock: any MonotonicClock
    /// By the hash of the key.
    private let buckets = Mutex<[[UInt8]: TokenBucket]>([:])

    /// - Parameter instances: how many readers share the limit, until `setInstances` says otherwise.
    init(instances: Int, clock: any MonotonicClock) {
        self.instances = Atomic(max(1, instances))
        self.clock = clock
    }

    /// How many readers share the limit; at least this one.
    ///
    /// A smaller share holds from the next request on: what a bucket has beyond it is gone.
    func setInstances(_ count: Int) {
        instances.store(max(1, count), ordering: .relaxed)
    }

    private var rate: TokenBucket.Rate {
        let instances = Int64(instances.load(ordering: .relaxed))
        return TokenBucket.Rate(
            capacity: max(1, Self.burst / instances),
            perMinute: max(1, Self.perSecond * 60 / instances)
        )
    }

    /// Counts a request of a key that has proved valid before; false for any other, of which nothing is known yet.
    ///
    /// - Throws: `rate_limited` with the seconds to wait.
    func charge(_ keyHash: [UInt8]) throws(ReadRefusal) -> Bool {
        let (rate, nowNs) = (rate, clock.nowNs())
        let outcome = buckets.withLock { buckets -> (isKnown: Bool, waitNs: Int64?) in
            guard var bucket = buckets[keyHash] else { return (false, nil) }
            let waitNs = bucket.takeAll(1, rate, nowNs: nowNs)
            buckets[keyHash] = bucket
            return (true, waitNs)
        }
        if let waitNs = outcome.waitNs { throw Self.refusal(waitNs: waitNs) }
        return outcome.isKnown
    }

    /// Counts the first request of a key that has just proved valid.
    ///
    /// - Throws: `rate_limited`: others of the same key may have come at the same moment.
    func admit(_ keyHash: [UInt8]) throws(ReadRefusal) {
        let (rate, nowNs) = (rate, clock.nowNs())
        let waitNs = buckets.withLock { buckets -> Int64? in
            if buckets[keyHash] == nil, buckets.count >= Self.keysMax {
                sweep(&buckets, nowNs)
                if buckets.count >= Self.keysMax { return nil }
            }
            return buckets[keyHash, default: TokenBucket(full: rate, nowNs: nowNs)]
                .takeAll(1, rate, nowNs: nowNs)
        }
        if let waitNs { throw Self.refusal(waitNs: waitNs) }
    }

    /// For a key that is no longer valid.
    func forget(_ keyHash: [UInt8]) {
        buckets.withLock { $0[keyHash] = nil }
    }

    var count: Int { buckets.withLock { $0.count } }

    /// A bucket that is full again is the same as none.
    private func sweep(_ buckets: inout [[UInt8]: TokenBucket], _ nowNs: Int64) {
        let rate = rate
        buckets = buckets.filter { entry in
            var bucket = entry.value
            return !bucket.isFull(rate, nowNs: nowNs)
        }
    }

    private static func refusal(waitNs: Int64) -> ReadRefusal {
        let seconds = Int(clamping: max(1, (waitNs + 999_999_999) / 1_000_000_000))
        return ReadRefusal(.rateLimited, retryAfterSeconds: seconds)
    }
}
