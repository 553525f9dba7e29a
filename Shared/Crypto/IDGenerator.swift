import Synchronization

/// Makes ULIDs and UUIDs of version 7 that only ever grow, from any thread.
///
/// Time is a parameter. A clock that stands still or goes back does not show: the time of the last identifier
/// is kept and its random part counted up.
public final class IDGenerator: Sendable {
    private struct State: ~Copyable {
        var pool = RandomPool()
        var last = ULID(high: 0, low: 0)
        var lastUUIDMs: Int64 = 0
        var uuidCounter: UInt16 = 0
    }

    private let state = Mutex(State())

    public init() {}

    public func ulid(nowMs: Int64) -> ULID {
        state.withLock { state in
            let ms = UInt64(max(0, min(nowMs, 0xFFFF_FFFF_FFFF)))
            if ms > state.last.high >> 16 {
                let top = UInt64(state.pool.next(UInt16.self))
                state.last = ULID(high: ms << 16 | top, low: state.pool.next(UInt64.self))
            } else {
                // A carry out of the random part goes into the time, which is then a millisecond ahead.
                let (low, carry) = state.last.low.addingReportingOverflow(1)
                state.last = ULID(high: state.last.high &+ (carry ? 1 : 0), low: low)
            }
            return state.last
        }
    }

    /// 16 bytes in network order (RFC 9562, method 1: a counter in the 12 bits behind the version).
    public func uuidV7(nowMs: Int64) -> [UInt8] {
        let (ms, counter, random) = state.withLock { state in
            let now = max(0, min(nowMs, 0xFFFF_FFFF_FFFF))
            if now > state.lastUUIDMs {
                state.lastUUIDMs = now
                // The top bit stays free, so that at least 2,048 fit into a millisecond.
                state.uuidCounter = state.pool.next(UInt16.self) & 0x7FF
            } else if state.uuidCounter < 0xFFF {
                state.uuidCounter += 1
            } else {
                state.lastUUIDMs += 1
                state.uuidCounter = 0
            }
            return (state.lastUUIDMs, state.uuidCounter, state.pool.next(UInt64.self))
        }
        let high = UInt64(ms) << 16 | 0x7000 | UInt64(counter)
        let low = random & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
}

/// The hyphenated form of 16 bytes.
public enum UUIDText {
    public static func format(_ bytes: [UInt8]) -> String {
        precondition(bytes.count == 16)
        let hex = Hex.encode(bytes)
        var parts: [Substring] = []
        var rest = hex[...]
        for count in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return parts.joined(separator: "-")
    }
}
