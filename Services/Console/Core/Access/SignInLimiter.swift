import Contracts
import Crypto
import ServiceKit
import Synchronization

/// Slows down whoever guesses passwords: a few attempts for each account and each address, then a pause.
///
/// Attempts are remembered under digests with a key of this process, so that memory holds neither addresses nor e-mails.
final class SignInLimiter: Sendable {
    private struct Attempts {
        var count = 0
        var untilMs: Int64 = 0
    }

    private let clock: any MonotonicClock
    private let hmac = HMACSHA256(key: SecureRandom.bytes(32))
    private let attempts = Mutex<[[UInt8]: Attempts]>([:])
    static let perAccountMax = 5
    static let perAddressMax = 30
    static let windowMs: Int64 = 15 * 60_000
    static let rememberedMax = 100_000

    init(clock: any MonotonicClock) {
        self.clock = clock
    }

    /// Counts an attempt; returns the seconds to wait when there were too many, and the attempt must not be made.
    func admit(email: String, address: String) -> Int? {
        let keys = [(key("e" + email), Self.perAccountMax), (key("a" + address), Self.perAddressMax)]
        let nowMs = clock.nowMs()
        return attempts.withLock { attempts in
            if attempts.count > Self.rememberedMax { attempts = attempts.filter { $0.value.untilMs > nowMs } }
            // Whoever floods it with addresses is let through to the hash, which is slow by itself.
            guard attempts.count <= Self.rememberedMax else { return nil }
            for (key, max) in keys {
                guard let known = attempts[key], known.untilMs > nowMs, known.count >= max else { continue }
                return Int((known.untilMs - nowMs + 999) / 1000)
            }
            for (key, _) in keys {
                var known = attempts[key] ?? Attempts()
                if known.untilMs <= nowMs { known = Attempts(count: 0, untilMs: nowMs + Self.windowMs) }
                known.count += 1
                attempts[key] = known
            }
            return nil
        }
    }

    /// The right password was given: the account's attempts are forgotten.
    func succeeded(email: String) {
        let key = key("e" + email)
        attempts.withLock { $0[key] = nil }
    }

    private func key(_ text: String) -> [UInt8] { hmac.code(for: Array(text.utf8)) }
}
