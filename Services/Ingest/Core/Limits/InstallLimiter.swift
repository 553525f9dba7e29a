import Contracts
public import ServiceKit
import Synchronization

/// Limits each install to a burst and then a trickle, so that one broken device cannot crowd out an app.
///
/// A bucket that is full again is the same as none and is forgotten, so memory follows the installs that were busy in the last ten minutes. Beyond
/// `installsMax` of them new ones are let through: refusing strangers would let an attacker lock everybody out.
public final class InstallLimiter: Sendable {
    static let rate = TokenBucket.Rate(capacity: 1_000, perMinute: 100)
    private static let shardCount = 16

    struct Key: Hashable {
        let app: UUID128
        let install: UUID128
    }

    private let shards: [Shard]
    private let installsMaxPerShard: Int
    private let clock: any MonotonicClock

    public init(installsMax: Int, clock: any MonotonicClock) {
        shards = (0..<Self.shardCount).map { _ in Shard() }
        installsMaxPerShard = max(1, installsMax / Self.shardCount)
        self.clock = clock
    }

    /// Returns how many of `wanted` events may pass.
    func admit(_ wanted: Int, app: UUID128, install: UUID128) -> Int {
        let key = Key(app: app, install: install)
        let nowNs = clock.nowNs()
        return shard(of: key).buckets.withLock { buckets in
            if buckets.count >= installsMaxPerShard, buckets[key] == nil { return wanted }
            let taken = buckets[key, default: TokenBucket(full: Self.rate, nowNs: nowNs)]
                .takeSome(Int64(wanted), Self.rate, nowNs: nowNs)
            return Int(taken)
        }
    }

    /// Undoes an admission whose batch was not published.
    func giveBack(_ count: Int, app: UUID128, install: UUID128) {
        let key = Key(app: app, install: install)
        shard(of: key).buckets.withLock { $0[key]?.giveBack(Int64(count), Self.rate) }
    }

    /// Forgets full buckets; called every few seconds.
    func sweep() {
        let nowNs = clock.nowNs()
        for shard in shards {
            shard.buckets.withLock { buckets in
                let full = buckets.compactMap { key, bucket -> Key? in
                    var bucket = bucket
                    return bucket.isFull(Self.rate, nowNs: nowNs) ? key : nil
                }
                for key in full { buckets[key] = nil }
                // A dictionary keeps the room of its greatest size; after a storm it is given back.
                if buckets.capacity > 4_096, buckets.count < buckets.capacity / 8 {
                    buckets = Dictionary(uniqueKeysWithValues: buckets.map { ($0.key, $0.value) })
                }
            }
        }
    }

    var count: Int { shards.reduce(0) { sum, shard in sum + shard.buckets.withLock { $0.count } } }

    private func shard(of key: Key) -> Shard {
        // Random UUIDs: any of their bits spread well, and skew costs only waiting.
        shards[
            Int(truncatingIfNeeded: (key.install.low ^ key.install.high >> 7) & UInt64(Self.shardCount - 1))
        ]
    }

    private final class Shard: Sendable {
        let buckets = Mutex<[Key: TokenBucket]>([:])
    }
}
