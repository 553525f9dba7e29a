import Glibc
import Synchronization

/// The time people agree on; it can jump, so it never measures a span.
public protocol WallClock: Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    func nowMs() -> Int64
}

/// A time that only grows; its zero means nothing.
public protocol MonotonicClock: Sendable {
    func nowNs() -> Int64
}

extension MonotonicClock {
    public func nowMs() -> Int64 { nowNs() / 1_000_000 }
}

/// The machine's wall clock.
public struct SystemWallClock: WallClock {
    public init() {}

    public func nowMs() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The machine's monotonic clock.
public struct SystemMonotonicClock: MonotonicClock {
    public init() {}

    public func nowNs() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// A wall clock that a test sets.
public final class ManualWallClock: WallClock {
    private let time: Atomic<Int64>

    public init(nowMs: Int64) { time = Atomic(nowMs) }

    public func nowMs() -> Int64 { time.load(ordering: .sequentiallyConsistent) }

    public func set(nowMs: Int64) { time.store(nowMs, ordering: .sequentiallyConsistent) }

    public func advance(ms: Int64) { time.add(ms, ordering: .sequentiallyConsistent) }
}

/// A monotonic clock that a test moves.
public final class ManualMonotonicClock: MonotonicClock {
    private let time: Atomic<Int64>

    public init(nowNs: Int64 = 0) { time = Atomic(nowNs) }

    public func nowNs() -> Int64 { time.load(ordering: .sequentiallyConsistent) }

    public func advance(ns: Int64) { time.add(ns, ordering: .sequentiallyConsistent) }

    public func advance(ms: Int64) { advance(ns: ms * 1_000_000) }
}
