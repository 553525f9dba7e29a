import Glibc

/// Milliseconds that no clock change moves.
enum Monotonic {
    /// The coarse clock: a few milliseconds off, and several times cheaper, at five readings a request.
    static func nowMs() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }
}
