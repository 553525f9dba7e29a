import AggregatorCore
import Calendar
import Contracts
import Testing
import Wire

/// The rules of sessions and days, one fact each (DESIGN decisions are repeated in ARCHITECTURE, section 6).
@Suite struct DayBuilderTests {
    static let dayMs: Int64 = 86_400_000
    static let day = LocalDay(20_000)
    static let midnightMs = 20_000 * dayMs

    /// An event at an hour of the day, counted from its midnight and possibly negative or beyond 24.
    static func event(
        _ name: EventName,
        hour: Double,
        session: UInt64 = 1,
        insert: UInt64,
        durationMs: Int32 = 1_000,
        _ change: (inout StoredEvent) -> Void = { _ in }
    ) -> StoredEvent {
        var event = StoredEvent(
            isStart: name == .sessionStart,
            timeMs: midnightMs + Int64(hour * 3_600_000),
            insertID: UUID128(high: 0, low: insert),
            sessionID: UUID128(high: 0, low: session),
            install: 1,
            durationMs: name == .sessionStart ? -1 : durationMs
        )
        change(&event)
        return event
    }

    static func build(_ events: [StoredEvent], day: LocalDay = day) -> BuiltDay {
        let first = Int64(day.number) * dayMs
        return DayBuilder.build(
            day: day,
            bounds: first..<first + dayMs,
            events: events,
            dayOf: { LocalDay(Int32($0 / dayMs)) }
        )
    }

    @Test func startAndEndAreOneSessionWithItsDuration() {
        let built = Self.build([
            Self.event(.sessionStart, hour: 10, insert: 1),
            Self.event(.sessionEnd, hour: 10.5, insert: 2, durationMs: 90_000),
        ])
        #expect(built.sessions == 1)
        #expect(built.sessionsEnded == 1)
        #expect(built.durationMsSum == 90_000)
        #expect(built.block.count == 1)
    }

    @Test func lostEndCountsTheSessionAndNoDuration() {
        let built = Self.build([Self.event(.sessionStart, hour: 10, insert: 1)])
        #expect(built.sessions == 1)
        #expect(built.sessionsEnded == 0)
        #expect(built.block.durationMs == [-1])
    }

    @Test func longestOfSeveralEndsIsTheDuration() {
        let built = Self.build([
            Self.event(.sessionStart, hour: 10, insert: 1),
            Self.event(.sessionEnd, hour: 11, insert: 2, durationMs: 5_000),
            Self.event(.sessionEnd, hour: 12, insert: 3, durationMs: 3_000),
        ])
        #expect(built.durationMsSum == 5_000)
        #expect(built.sessionsEnded == 1)
    }

    @Test func zeroIsADuration() {
        let built = Self.build([
            Self.event(.sessionStart, hour: 10, insert: 1),
            Self.event(.sessionEnd, hour: 10, insert: 2, durationMs: 0),
        ])
        #expect(built.sessionsEnded == 1)
        #expect(built.block.durationMs == [0])
    }

    @Test func endAloneIsActivityAndNoSession() {
        let built = Self.build([Self.event(.sessionEnd, hour: 10, insert: 1)])
        #expect(built.sessions == 0)
        #expect(built.sessionsEnded == 0)
        #expect(built.block.rows.map(\.isSession) == [false])
    }

    @Test func sessionOverMidnightIsCountedOnceAndActiveOnBothDays() {
        let events = [
            Self.event(.sessionStart, hour: 23.9, insert: 1),
            Self.event(.sessionEnd, hour: 24.2, insert: 2, durationMs: 1_200_000),
        ]
        let (first, second) = (Self.build(events), Self.build(events, day: Self.day.advanced(by: 1)))
        #expect(first.sessions == 1)
        #expect(first.durationMsSum == 1_200_000)
        #expect(second.sessions == 0)
        #expect(second.block.rows.map(\.isSession) == [false])
    }

    @Test func endDatedBeforeItsStartStillBelongsToIt() {
        let built = Self.build([
            Self.event(.sessionEnd, hour: 9.99, insert: 1, durationMs: 7_000),
            Self.event(.sessionStart, hour: 10, insert: 2),
        ])
        #expect(built.durationMsSum == 7_000)
        #expect(built.block.count == 1)
    }

    @Test func earliestOfSeveralStartsDecides() {
        let events = [
            Self.event(.sessionStart, hour: 20, insert: 2) { $0.context = 2 },
            Self.event(.sessionStart, hour: 40, insert: 1) { $0.context = 3 },
        ]
        #expect(Self.build(events).sessions == 1)
        #expect(Self.build(events, day: Self.day.advanced(by: 1)).sessions == 0)
    }

    @Test func sameIdMoreThan25HoursLaterIsAnotherSession() {
        let at = { (hours: Double) in
            [
                Self.event(.sessionStart, hour: 20, insert: 1),
                Self.event(.sessionStart, hour: 20 + hours, insert: 2),
            ]
        }
        #expect(Self.build(at(25), day: Self.day.advanced(by: 1)).sessions == 0)
        #expect(Self.build(at(25.001), day: Self.day.advanced(by: 1)).sessions == 1)
    }

    @Test func endMoreThan25HoursAwayIsAlone() {
        let events = [
            Self.event(.sessionStart, hour: 23, insert: 1),
            Self.event(.sessionEnd, hour: 49, insert: 2),
        ]
        #expect(Self.build(events).sessionsEnded == 0)
        #expect(Self.build(events, day: Self.day.advanced(by: 1)).block.count == 0)
        #expect(Self.build(events, day: Self.day.advanced(by: 2)).block.count == 1)
    }

    @Test func otherAccountAtTheEndIsActiveToo() {
        let built = Self.build([
            Self.event(.sessionStart, hour: 10, insert: 1) { $0.user = 1 },
            Self.event(.sessionEnd, hour: 11, insert: 2) { $0.user = 2 },
        ])
        #expect(built.sessions == 1)
        #expect(Set(built.block.user) == [1, 2])
    }

    @Test func sessionWithinTheDayHasNoNeighbours() {
        let built = Self.build([
            Self.event(.sessionStart, hour: 0, insert: 1), Self.event(.sessionEnd, hour: 23.9, insert: 2),
        ])
        #expect(built.seen.isEmpty)
        #expect(built.shown.isEmpty)
    }

    @Test func neighboursAgreeOnWhatTheyShowEachOther() {
        let events = [
            Self.event(.sessionStart, hour: 23.9, insert: 1), Self.event(.sessionEnd, hour: 24.2, insert: 2),
        ]
        let next = Self.day.advanced(by: 1)
        let (first, second) = (Self.build(events), Self.build(events, day: next))
        #expect(first.shown[next] == second.seen[Self.day])
        #expect(second.shown[Self.day] == first.seen[next])
        #expect(first.shown[next] != nil)
    }

    @Test func hugeSessionGroupIsNotQuadratic() {
        let events = (0..<60_000).map { number in
            Self.event(.sessionEnd, hour: Double(number) / 60_000 * 48 - 12, insert: UInt64(number) + 1)
        }
        #expect(Self.build(events).block.count == 30_000)
    }
}
