import ServiceKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct RepeaterTests {
    private let repeater = Repeater(clock: SystemMonotonicClock())

    @Test func worksUntilItIsStopped() async {
        var count = 0
        await repeater.run {
            count += 1
            if count == 3 { repeater.stop() }
            return 0
        }
        #expect(count == 3)
    }

    @Test func stoppedBeforeItBeganItDoesNothing() async {
        var count = 0
        repeater.stop()
        await repeater.run {
            count += 1
            return 0
        }
        #expect(count == 0)
    }

    /// Without looking at the stop it would wait for a day.
    @Test func aStopEndsThePause() async {
        let repeater = repeater
        async let pause: Void = repeater.pause(ms: 86_400_000)
        repeater.stop()
        await pause
        #expect(repeater.shouldStop)
    }

    @Test func aPauseThatIsOverBeforeItBeganReturns() async {
        await repeater.pause(ms: -1)
        #expect(!repeater.shouldStop)
    }
}
