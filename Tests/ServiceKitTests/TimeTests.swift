import Foundation
import ServiceKit
import Testing

@Suite struct TimeTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (.min, "0000-01-01T00:00:00.000Z"),
        (.max, "9999-12-31T23:59:59.999Z"),
    ])
    func anInstantIsWrittenInUTC(ms: Int64, text: String) {
        #expect(utcText(ms: ms) == text)
    }

    @Test(arguments: UInt64(1)...50)
    func everyInstantIsWrittenAsFoundationWritesIt(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<20 {
            let ms = Int64.random(in: 0...4_102_444_800, using: &random) * 1_000
            #expect(utcText(ms: ms) == Date(timeIntervalSince1970: Double(ms) / 1_000).formatted(style))
        }
    }

    @Test func manualClocksMoveWhenTold() {
        let wall = ManualWallClock(nowMs: 5)
        let monotonic = ManualMonotonicClock()

        wall.advance(ms: 10)
        monotonic.advance(ms: 2)

        #expect(wall.nowMs() == 15)
        #expect(monotonic.nowNs() == 2_000_000)
        #expect(monotonic.nowMs() == 2)
    }

    @Test func theSystemsClocksAgreeWithFoundation() {
        let before = Date().timeIntervalSince1970
        let nowMs = SystemWallClock().nowMs()
        let after = Date().timeIntervalSince1970

        #expect(nowMs >= Int64(before * 1_000) - 1 && nowMs <= Int64(after * 1_000) + 1)
    }

    @Test func theMonotonicClockNeverGoesBack() {
        let clock = SystemMonotonicClock()
        let times = (0..<1_000).map { _ in clock.nowNs() }

        #expect(times == times.sorted())
        #expect(times[0] > 0)
    }
}

@Suite struct BackoffTests {
    @Test(arguments: UInt64(1)...20)
    func aWaitIsBetweenHalfAndAllOfItsStep(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var backoff = Backoff(firstMs: 100, ceilingMs: 1_000)

        for full in [100, 200, 400, 800, 1_000, 1_000] {
            let waitMs = backoff.nextMs(using: &random)
            #expect((full / 2...full).contains(waitMs))
        }
    }

    @Test func theSameSeedWaitsTheSame() {
        func waits() -> [Int] {
            var random = SplitMix64(seed: 7)
            var backoff = Backoff()
            return (0..<10).map { _ in backoff.nextMs(using: &random) }
        }

        #expect(waits() == waits())
    }

    @Test func resettingBeginsAgain() {
        var backoff = Backoff(firstMs: 10, ceilingMs: 10_000)
        for _ in 0..<8 { _ = backoff.nextMs() }

        backoff.reset()

        #expect(backoff.attempt == 0)
        #expect(backoff.nextMs() <= 10)
    }

    @Test func aNamedTimeIsHonouredBeyondTheCeiling() {
        var backoff = Backoff(firstMs: 10, ceilingMs: 100)

        let waitMs = backoff.nextMs(retryAfterMs: 60_000)

        #expect((60_000...60_010).contains(waitMs))
    }

    @Test func longFailuresDoNotOverflow() {
        var backoff = Backoff(firstMs: .max / 2, ceilingMs: .max)
        for _ in 0..<100 { _ = backoff.nextMs() }

        #expect(backoff.nextMs(retryAfterMs: .max) == .max)
    }
}
