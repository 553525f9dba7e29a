/// Tokens that come back with time, counted so finely that nothing is ever rounded.
///
/// Time is monotonic nanoseconds: a wall clock that is set back or forward neither refills nor drains anything.
public struct TokenBucket: Sendable, Equatable {
    /// How large a bucket is and how fast it fills.
    public struct Rate: Sendable, Equatable {
        public let capacity: Int64
        public let perMinute: Int64

        public init(capacity: Int64, perMinute: Int64) {
            self.capacity = capacity
            self.perMinute = perMinute
        }

        fileprivate var full: Int64 { capacity * TokenBucket.token }

        /// Nanoseconds until so much has come back, rounded up.
        fileprivate func nanoseconds(for level: Int64) -> Int64 {
            (max(0, level) + perMinute - 1) / perMinute
        }
    }

    /// One token: a nanosecond brings `perMinute` of its parts.
    private static let token: Int64 = 60_000_000_000

    /// Parts of tokens; below zero while a batch larger than the bucket is being paid off.
    private var level: Int64
    private var updatedNs: Int64

    public init(full rate: Rate, nowNs: Int64) {
        level = rate.full
        updatedNs = nowNs
    }

    /// Whole tokens at hand.
    public mutating func available(_ rate: Rate, nowNs: Int64) -> Int64 {
        refill(rate, nowNs: nowNs)
        return max(0, level / Self.token)
    }

    /// Takes up to `wanted` and returns how many it took.
    public mutating func takeSome(_ wanted: Int64, _ rate: Rate, nowNs: Int64) -> Int64 {
        let taken = min(wanted, available(rate, nowNs: nowNs))
        level -= taken * Self.token
        return taken
    }

    /// Takes all or none; returns nanoseconds to wait when it took none.
    ///
    /// More than the bucket holds is taken from a full bucket, which then has debts: otherwise it could never pass.
    public mutating func takeAll(_ wanted: Int64, _ rate: Rate, nowNs: Int64) -> Int64? {
        refill(rate, nowNs: nowNs)
        let needed = min(wanted, rate.capacity) * Self.token
        guard level >= needed else { return rate.nanoseconds(for: needed - level) }
        level -= wanted * Self.token
        return nil
    }

    public mutating func giveBack(_ count: Int64, _ rate: Rate) {
        level = min(rate.full, level + count * Self.token)
    }

    public mutating func isFull(_ rate: Rate, nowNs: Int64) -> Bool {
        refill(rate, nowNs: nowNs)
        return level >= rate.full
    }

    private mutating func refill(_ rate: Rate, nowNs: Int64) {
        let elapsedNs = nowNs - updatedNs
        guard elapsedNs > 0 else { return }
        updatedNs = nowNs
        // Looked at first: after a long pause the product below would not fit.
        if elapsedNs >= rate.nanoseconds(for: rate.full - level) {
            level = rate.full
        } else {
            level += elapsedNs * rate.perMinute
        }
    }
}
