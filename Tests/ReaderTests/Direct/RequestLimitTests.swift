import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

@Suite struct RequestLimiterTests {
    private let clock = ManualMonotonicClock()
    private let key: [UInt8] = [1]

    /// How many of so many requests at once pass.
    private func passing(_ count: Int, _ limiter: RequestLimiter, _ key: [UInt8]) -> Int {
        (0..<count).count { _ in
            refusal { () throws(ReadRefusal) in
                if try !limiter.charge(key) { try limiter.admit(key) }
            } == nil
        }
    }

    @Test func burstOfThirtyThenTenASecond() {
        let limiter = RequestLimiter(instances: 1, clock: clock)
        #expect(passing(40, limiter, key) == 30)
        clock.advance(ms: 1_000)
        #expect(passing(40, limiter, key) == 10)
        clock.advance(ms: 60_000)
        #expect(passing(40, limiter, key) == 30)
    }

    /// Fractions are kept: a look every 50 ms must not round what has come back to nothing.
    @Test func smallRefillsAddUp() {
        let limiter = RequestLimiter(instances: 1, clock: clock)
        #expect(passing(30, limiter, key) == 30)
        var passed = 0
        for _ in 0..<200 {
            clock.advance(ms: 50)
            passed += passing(1, limiter, key)
        }
        #expect(passed == 100)
    }

    @Test func pauseIsTrueAndAtLeastASecond() throws {
        let limiter = RequestLimiter(instances: 10, clock: clock)
        #expect(passing(3, limiter, key) == 3)
        let refused = try #require(
            refusal { () throws(ReadRefusal) in _ = try limiter.charge(key) }
        )
        #expect(refused.code == .rateLimited)
        let seconds = try #require(refused.retryAfterSeconds)
        #expect(seconds == 1)
        clock.advance(ms: Int64(seconds) * 1_000)
        #expect(passing(1, limiter, key) == 1)
    }

    @Test func instancesShareTheLimit() {
        let limiter = RequestLimiter(instances: 2, clock: clock)
        #expect(passing(40, limiter, key) == 15)
        clock.advance(ms: 1_000)
        #expect(passing(40, limiter, key) == 5)
    }

    @Test func keysHaveBucketsOfTheirOwn() {
        let limiter = RequestLimiter(instances: 1, clock: clock)
        #expect(passing(40, limiter, key) == 30)
        #expect(passing(40, limiter, [2]) == 30)
    }

    @Test func strangersTakeNoMemory() throws {
        let limiter = RequestLimiter(instances: 1, clock: clock)
        for number in 0..<100 { #expect(try !limiter.charge([3, UInt8(number)])) }
        #expect(limiter.count == 0)
    }

    @Test func forgottenKeyIsAStranger() throws {
        let limiter = RequestLimiter(instances: 1, clock: clock)
        #expect(passing(1, limiter, key) == 1)
        limiter.forget(key)
        #expect(limiter.count == 0)
        #expect(try !limiter.charge(key))
    }

    @Test func memoryIsBoundedAndFullBucketsMakeRoom() {
        let limiter = RequestLimiter(instances: 1, clock: clock)
        func name(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 255), UInt8(number & 255), 9] }
        for number in 0..<(RequestLimiter.keysMax + 50) { #expect(passing(1, limiter, name(number)) == 1) }
        #expect(limiter.count == RequestLimiter.keysMax)
        clock.advance(ms: 1_000)
        #expect(passing(1, limiter, [7, 7]) == 1)
        #expect(limiter.count == 1)
    }
}

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct RateLimitEndpointTests {
    @Test func thirtyFirstRequestAtOnceIsRefusedUntilTheGivenPauseIsOver() async throws {
        let clock = ManualMonotonicClock()
        try await withReader(limiter: RequestLimiter(instances: 1, clock: clock)) { world in
            for method in ["GET", "HEAD"] {
                for _ in 0..<15 { #expect(try await world.get("/v1/apps", method: method).status == 200) }
            }
            let refused = try await world.get("/v1/apps")
            #expect(refused.status == 429)
            #expect(refused.header("Retry-After") == "1")
            let error = try (decoded(refused) as ErrorAnswer).error
            #expect(error.code == "rate_limited")
            #expect(error.requestId == refused.header("X-Request-Id"))
            #expect(try await world.get("/v1/portfolio").status == 429)
            clock.advance(ms: 1_000)
            for _ in 0..<10 { #expect(try await world.get("/v1/apps").status == 200) }
            #expect(try await world.get("/v1/apps").status == 429)
        }
    }

    /// B63: eleven reads in a second are a short burst.
    @Test func elevenReadsInASecondPass() async throws {
        try await withReader(limiter: RequestLimiter(instances: 1, clock: ManualMonotonicClock())) { world in
            var statuses: [Int] = []
            for _ in 0..<11 { statuses.append(try await world.get("/v1/apps").status) }
            #expect(statuses == [Int](repeating: 200, count: 11))
        }
    }

    @Test func refusalsCountButStrangersAndOtherKeysDoNot() async throws {
        try await withReader(limiter: RequestLimiter(instances: 1, clock: ManualMonotonicClock())) { world in
            try await world.makeKey("sk_other")
            for _ in 0..<40 { #expect(try await world.get("/v1/apps", key: "sk_stranger").status == 401) }
            for _ in 0..<30 { #expect(try await world.get("/v1/apps?nonsense=1").status == 400) }
            #expect(try await world.get("/v1/apps").status == 429)
            #expect(try await world.get("/v1/apps", key: "sk_other").status == 200)
        }
    }

    @Test func revokedKeyIsUnknownAndNotMerelyTooFast() async throws {
        try await withReader(limiter: RequestLimiter(instances: 1, clock: ManualMonotonicClock())) { world in
            for _ in 0..<10 { #expect(try await world.get("/v1/apps").status == 200) }
            try await world.connection.execute("UPDATE api_keys SET revoked_at = now()")
            for _ in 0..<40 { #expect(try await world.get("/v1/apps").status == 401) }
        }
    }
}
