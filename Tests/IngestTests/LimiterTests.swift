import Contracts
import ServiceKit
import Testing

@testable import IngestCore

@Suite struct LimiterTests {
    static let app = UUID128(high: 1, low: 1)
    static let install = UUID128(high: 2, low: 2)

    @Test func installsAreLimitedApart() {
        let limiter = InstallLimiter(installsMax: 1_000, clock: ManualMonotonicClock())
        #expect(limiter.admit(1_200, app: Self.app, install: Self.install) == 1_000)
        #expect(limiter.admit(5, app: Self.app, install: UUID128(high: 3, low: 3)) == 5)
    }

    @Test func sameInstallIdInAnotherAppIsAnotherInstall() {
        let limiter = InstallLimiter(installsMax: 1_000, clock: ManualMonotonicClock())
        _ = limiter.admit(1_000, app: Self.app, install: Self.install)
        #expect(limiter.admit(10, app: UUID128(high: 9, low: 9), install: Self.install) == 10)
    }

    @Test func fullBucketsAreForgotten() {
        let clock = ManualMonotonicClock()
        let limiter = InstallLimiter(installsMax: 100_000, clock: clock)
        for number in 0..<1_000 {
            _ = limiter.admit(1, app: Self.app, install: UUID128(high: 0, low: UInt64(number)))
        }
        #expect(limiter.count == 1_000)
        limiter.sweep()
        #expect(limiter.count == 1_000)
        clock.advance(ms: 700)
        limiter.sweep()
        #expect(limiter.count == 0)
    }

    @Test func memoryIsBoundedAndStrangersPass() {
        let limiter = InstallLimiter(installsMax: 160, clock: ManualMonotonicClock())
        var random = SplitMix64(seed: 7)
        for _ in 0..<5_000 {
            let install = UUID128(high: random.next(), low: random.next())
            #expect(limiter.admit(1, app: Self.app, install: install) == 1)
        }
        #expect(limiter.count <= 160)
    }

    @Test func appIsRefusedBeyondItsSecondAndTold() {
        let clock = ManualMonotonicClock()
        let limiter = AppLimiter(clock: clock)
        #expect(limiter.admit(2_000, app: Self.app) == nil)
        #expect(limiter.admit(1, app: Self.app) == 1)
        clock.advance(ms: 1_000)
        #expect(limiter.admit(2_000, app: Self.app) == nil)
    }

    @Test func appShareFollowsTheInstances() {
        let limiter = AppLimiter(clock: ManualMonotonicClock())
        limiter.setInstances(4)
        #expect(limiter.admit(500, app: Self.app) == nil)
        #expect(limiter.admit(1, app: Self.app) == 1)
        limiter.setInstances(0)
        #expect(limiter.rate.capacity == 2_000)
    }

    static func verdict(_ installs: [UUID128]) -> BatchVerdict {
        var verdict = BatchVerdict()
        verdict.contexts = [
            ResolvedContext(
                context: EventContext(environment: .production, platform: .ios),
                address: .none,
                warnings: []
            )
        ]
        verdict.accepted = installs.enumerated().map { index, install in
            let event = EventMessage.Event(
                insertID: UUID128(high: 7, low: UInt64(index)),
                name: .sessionStart,
                eventTimeMs: 0,
                clientTimeMs: 0,
                sessionID: UUID128(high: 8, low: UInt64(index))
            )
            return AcceptedEvent(index: index, installID: install, event: event)
        }
        return verdict
    }

    static func limits(_ clock: ManualMonotonicClock = ManualMonotonicClock()) -> BatchLimits {
        BatchLimits(
            installs: InstallLimiter(installsMax: 1_000, clock: clock),
            apps: AppLimiter(clock: clock)
        )
    }

    @Test func eventsBeyondTheInstallsLimitAreRejectedInOrder() throws {
        let limits = Self.limits()
        _ = limits.installs.admit(998, app: Self.app, install: Self.install)
        let other = UUID128(high: 5, low: 5)
        let batch = Self.verdict([Self.install, other, Self.install, Self.install, other])

        let (verdict, admission) = try limits.admit(batch, app: Self.app)

        #expect(verdict.accepted.map(\.index) == [0, 1, 2, 4])
        #expect(verdict.rejected.map(\.index) == [3])
        #expect(verdict.rejected.first?.code == .installRateLimited)
        #expect(admission.eventCount == 4)
        #expect(verdict.acceptedCount + verdict.rejected.count == 5)
    }

    @Test func batchOverTheAppsLimitCostsItsInstallsNothing() throws {
        let limits = Self.limits()
        _ = limits.apps.admit(2_000, app: Self.app)
        let batch = Self.verdict(Array(repeating: Self.install, count: 300))
        #expect(throws: BatchRefusal(.appRateLimited, retryAfterSeconds: 1)) {
            try limits.admit(batch, app: Self.app)
        }
        #expect(limits.installs.admit(1_000, app: Self.app, install: Self.install) == 1_000)
    }

    @Test func unpublishedBatchCostsNothing() throws {
        let limits = Self.limits()
        let (_, admission) = try limits.admit(
            Self.verdict(Array(repeating: Self.install, count: 400)),
            app: Self.app
        )
        limits.giveBack(admission)
        #expect(limits.installs.admit(1_000, app: Self.app, install: Self.install) == 1_000)
        #expect(limits.apps.admit(2_000, app: Self.app) == nil)
    }

    @Test(arguments: [
        ("events[3].user_id", "user_id"), ("events[12].context.platform", "context.platform"),
        ("events[0]", nil),
        ("context.platform", "context.platform"),
    ])
    func reportedFieldHasNoPlaceInTheBatch(path: String, field: String?) {
        #expect(RejectionReporter.withoutIndex(path) == field)
    }
}
