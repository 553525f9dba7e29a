/// How long to wait before the next try: doubling up to a ceiling, with jitter.
///
/// Half of each wait is fixed and half is drawn, so that replicas which failed together do not come back
/// together, and none comes back at once.
public struct Backoff: Sendable {
    public let firstMs: Int
    public let ceilingMs: Int
    /// Tries made since the last `reset`.
    public private(set) var attempt = 0

    public init(firstMs: Int = 100, ceilingMs: Int = 30_000) {
        precondition(firstMs > 0 && ceilingMs >= firstMs, "a backoff needs 0 < firstMs <= ceilingMs")
        self.firstMs = firstMs
        self.ceilingMs = ceilingMs
    }

    /// The next wait; at least `retryAfterMs` when the other side named a time, even beyond the ceiling.
    ///
    /// Jitter is added on top of `retryAfterMs`, for everybody was told the same number.
    public mutating func nextMs(
        retryAfterMs: Int? = nil,
        using random: inout some RandomNumberGenerator
    ) -> Int {
        // 2^30 first waits are above any ceiling in use; shifting further would overflow.
        let shift = min(attempt, 30)
        attempt += 1
        let (grown, overflow) = firstMs.multipliedReportingOverflow(by: 1 << shift)
        let fullMs = overflow ? ceilingMs : min(grown, ceilingMs)
        let drawnMs = Int.random(in: 0...(fullMs - fullMs / 2), using: &random)
        guard let retryAfterMs, retryAfterMs > fullMs / 2 else { return fullMs / 2 + drawnMs }
        let (asked, tooLong) = retryAfterMs.addingReportingOverflow(drawnMs)
        return tooLong ? .max : asked
    }

    public mutating func nextMs(retryAfterMs: Int? = nil) -> Int {
        var random = SystemRandomNumberGenerator()
        return nextMs(retryAfterMs: retryAfterMs, using: &random)
    }

    /// Call after a success: the next failure waits `firstMs` again.
    public mutating func reset() { attempt = 0 }
}
