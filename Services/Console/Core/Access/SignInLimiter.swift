import Contracts
import Crypto
import Forwarding
import GeoIP
import HTTP
import ServiceKit
import Synchronization

/// Slows down whoever guesses passwords: a few attempts for each account and each address, then a pause.
///
/// An account has few attempts from one address and more from all together, so that nobody far away locks its owner out with a handful of
/// requests. Attempts are remembered under digests with a key of this process: memory holds neither addresses nor e-mails.
final class SignInLimiter: Sendable {
    private struct Attempts {
        var count = 0
        var untilMs: Int64 = 0
    }

    private struct State {
        var attempts: [[UInt8]: Attempts] = [:]
        var sweepAtMs: Int64 = 0
    }

    private let clock: any MonotonicClock
    private let proxies: TrustedProxies
    private let hmac = HMACSHA256(key: SecureRandom.bytes(32))
    private let state = Mutex(State())
    static let perAccountAndAddressMax = 5
    static let perAccountMax = 50
    static let perAddressMax = 30
    static let windowMs: Int64 = 15 * 60_000
    static let rememberedMax = 100_000
    private static let sweepMs: Int64 = 60_000

    init(clock: any MonotonicClock, proxies: TrustedProxies = TrustedProxies()) {
        self.clock = clock
        self.proxies = proxies
    }

    /// Counts an attempt.
    ///
    /// - Throws: `rate_limited` with the seconds to wait when there were too many; the attempt must not be made then.
    func admit(email: String, _ head: HTTPRequestHead) throws(ConsoleRefusal) {
        let address = address(of: head)
        let keys = [
            (key("b", email, address), Self.perAccountAndAddressMax), (key("e", email), Self.perAccountMax),
            (key("a", address), Self.perAddressMax),
        ]
        let nowMs = clock.nowMs()
        let waitMs = state.withLock { state -> Int64? in
            for (key, max) in keys {
                guard let known = state.attempts[key], known.untilMs > nowMs, known.count >= max else {
                    continue
                }
                return known.untilMs - nowMs
            }
            // Whoever floods it with addresses is let through to the hash, which is slow by itself.
            guard Self.hasRoom(&state, nowMs) else { return nil }
            for (key, _) in keys {
                var known = state.attempts[key] ?? Attempts()
                if known.untilMs <= nowMs { known = Attempts(count: 0, untilMs: nowMs + Self.windowMs) }
                known.count += 1
                state.attempts[key] = known
            }
            return nil
        }
        if let waitMs {
            throw ConsoleRefusal(.rateLimited, retryAfterSeconds: Int((waitMs + 999) / 1000))
        }
    }

    /// The right password was given: the account's attempts are forgotten, and this one of the address.
    ///
    /// Not all of the address: whoever has an account could go on guessing at others for ever.
    func succeeded(email: String, _ head: HTTPRequestHead) {
        let address = address(of: head)
        let (own, ofAddress) = ([key("b", email, address), key("e", email)], key("a", address))
        state.withLock { state in
            for key in own { state.attempts[key] = nil }
            state.attempts[ofAddress]?.count -= 1
        }
    }

    private static func hasRoom(_ state: inout State, _ nowMs: Int64) -> Bool {
        guard state.attempts.count >= rememberedMax else { return true }
        guard nowMs >= state.sweepAtMs else { return false }
        state.sweepAtMs = nowMs + sweepMs
        state.attempts = state.attempts.filter { $0.value.untilMs > nowMs }
        return state.attempts.count < rememberedMax
    }

    /// Of IPv6 the half that one customer has to himself.
    private func address(of head: HTTPRequestHead) -> String {
        let text = proxies.clientAddress(of: head)?.description ?? head.peer.description
        guard let peer = HTTPPeer(text), !peer.isIPv4 else { return text }
        return "\(peer.high)"
    }

    private func key(_ kind: String, _ parts: String...) -> [UInt8] {
        hmac.code(for: Array(([kind] + parts).joined(separator: "\0").utf8))
    }
}
