import Glibc

/// A moment after which waiting stops, on a clock that nobody sets.
struct Deadline {
    private let atMs: Int64?

    /// Nil waits for ever.
    init(afterMs: Int?) {
        atMs = afterMs.map { Monotonic.nowMs() + Int64(clamping: $0) }
    }

    /// As `poll` takes it: -1 waits for ever.
    var remainingMs: Int32 {
        guard let atMs else { return -1 }
        return Int32(clamping: max(0, atMs - Monotonic.nowMs()))
    }
}

enum Monotonic {
    static func nowMs() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }
}
