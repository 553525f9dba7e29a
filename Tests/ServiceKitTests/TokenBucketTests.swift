import ServiceKit
import Testing

@Suite struct TokenBucketTests {
    static let second: Int64 = 1_000_000_000
    static let rate = TokenBucket.Rate(capacity: 1_000, perMinute: 100)

    @Test func burstThenNothing() {
        var bucket = TokenBucket(full: Self.rate, nowNs: 0)
        #expect(bucket.takeSome(1_500, Self.rate, nowNs: 0) == 1_000)
        #expect(bucket.takeSome(1, Self.rate, nowNs: 0) == 0)
    }

    /// One event each half second for a minute: the hundred of the minute, neither sixty nor none (CASES B63).
    @Test func frequentSmallLooksLoseNothing() {
        var bucket = TokenBucket(full: Self.rate, nowNs: 0)
        _ = bucket.takeSome(1_000, Self.rate, nowNs: 0)
        let taken = (1...120).reduce(Int64(0)) { sum, half in
            sum + bucket.takeSome(1, Self.rate, nowNs: Int64(half) * Self.second / 2)
        }
        #expect(taken == 100)
    }

    @Test func looksOfAMicrosecondLoseNothing() {
        var bucket = TokenBucket(full: Self.rate, nowNs: 0)
        _ = bucket.takeSome(1_000, Self.rate, nowNs: 0)
        for step in 1...600_000 { _ = bucket.available(Self.rate, nowNs: Int64(step) * 1_000) }
        #expect(bucket.available(Self.rate, nowNs: Self.second * 6 / 10) == 1)
    }

    @Test func neverMoreThanTheCapacity() {
        var bucket = TokenBucket(full: Self.rate, nowNs: 0)
        #expect(bucket.available(Self.rate, nowNs: .max / 2) == 1_000)
    }

    @Test func timeThatGoesBackwardsChangesNothing() {
        var bucket = TokenBucket(full: Self.rate, nowNs: 100 * Self.second)
        _ = bucket.takeSome(10, Self.rate, nowNs: 100 * Self.second)
        #expect(bucket.available(Self.rate, nowNs: 0) == 990)
    }

    @Test func allOrNothingSaysHowLongToWait() {
        let rate = TokenBucket.Rate(capacity: 2_000, perMinute: 120_000)
        var bucket = TokenBucket(full: rate, nowNs: 0)
        #expect(bucket.takeAll(1_500, rate, nowNs: 0) == nil)
        #expect(bucket.takeAll(1_500, rate, nowNs: 0) == Self.second / 2)
        #expect(bucket.takeAll(1_500, rate, nowNs: Self.second / 2) == nil)
    }

    /// With eight instances a share holds 250 tokens, and a batch of 500 must still be able to pass.
    @Test func moreThanTheCapacityPassesFromAFullBucketAndIsPaidOff() {
        let rate = TokenBucket.Rate(capacity: 250, perMinute: 15_000)
        var bucket = TokenBucket(full: rate, nowNs: 0)
        #expect(bucket.takeAll(500, rate, nowNs: 0) == nil)
        #expect(bucket.takeAll(250, rate, nowNs: 0) == 2 * Self.second)
        #expect(bucket.takeAll(250, rate, nowNs: 2 * Self.second) == nil)
    }

    @Test func givingBackNeverOverflows() {
        var bucket = TokenBucket(full: Self.rate, nowNs: 0)
        _ = bucket.takeSome(5, Self.rate, nowNs: 0)
        bucket.giveBack(500, Self.rate)
        #expect(bucket.available(Self.rate, nowNs: 0) == 1_000)
    }

    /// Goal: over any pattern of looks, what is given out is within one token of burst + time × rate, and never above it.
    @Test(arguments: UInt64(1)...30)
    func givesOutExactlyTheRate(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let rate = TokenBucket.Rate(
            capacity: .random(in: 1...5_000, using: &random),
            perMinute: .random(in: 1...120_000, using: &random)
        )
        var bucket = TokenBucket(full: rate, nowNs: 0)
        var nowNs: Int64 = 0
        var given = bucket.takeSome(1_000_000, rate, nowNs: 0)
        for _ in 0..<2_000 {
            // Short against the time a full refill takes, so that nothing is lost to a full bucket.
            nowNs += .random(in: 0...(rate.capacity * 30 * Self.second / rate.perMinute), using: &random)
            given += bucket.takeSome(1_000_000, rate, nowNs: nowNs)
        }
        let exact = Double(rate.capacity) + Double(nowNs) / 60e9 * Double(rate.perMinute)
        #expect(Double(given) <= exact)
        #expect(Double(given) > exact - 2)
    }
}
