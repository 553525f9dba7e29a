import Contracts
import Testing

@testable import IngestCore

/// The same `insert_id` more than once in a batch: the first that is valid counts.
@Suite struct RepeatedEventTests {
    @Test func twoHundredCopiesAreAccepted() throws {
        let verdict = try judge(BatchText.of(Array(repeating: EventText.start(), count: 200)))

        #expect(verdict.acceptedCount == 200)
    }

    @Test func twoHundredCopiesAreOneEvent() throws {
        let verdict = try judge(BatchText.of(Array(repeating: EventText.start(), count: 200)))

        #expect(verdict.accepted.map(\.index) == [0])
    }

    @Test func eachCopyHasItsWarning() throws {
        let verdict = try judge(BatchText.of(Array(repeating: EventText.start(), count: 200)))

        #expect(verdict.warnings.map(\.index) == Array(1..<200))
        #expect(Set(verdict.warningCodes) == [.duplicateInsertIDInBatch])
    }

    @Test func theFirstOneCountsWhateverTheOthersSay() throws {
        let events = [
            EventText.start(1),
            EventText.end(2) {
                $0["insert_id"] = quoted(EventText.insertID(1))
                $0["install_id"] = quoted(EventText.installID(9))
                $0["user_id"] = quoted("42")
            },
        ]

        let verdict = try judge(BatchText.of(events))

        #expect(verdict.accepted.map(\.event.name) == [.sessionStart])
        #expect(verdict.accepted.map(\.event.userID) == [nil])
    }

    @Test func aCopyHasNoOtherWarning() throws {
        let late = EventText.start(1) { $0["timestamp"] = quoted("2026-10-15T00:00:00Z") }

        let verdict = try judge(BatchText.of([EventText.start(1), late]))

        #expect(verdict.warningCodes == [.duplicateInsertIDInBatch])
    }

    @Test func aCopyThatIsInvalidIsRejected() throws {
        let events = [EventText.start(1), EventText.start(1) { $0["user_id"] = quoted("jo@example.com") }]

        #expect(
            try judge(BatchText.of(events)).outcomes == [
                "accepted", "user_id_looks_like_pii events[1].user_id",
            ]
        )
    }

    @Test func aRejectedEventReservesNothing() throws {
        let events = [EventText.start(1) { $0["user_id"] = quoted("jo@example.com") }, EventText.start(1)]

        let verdict = try judge(BatchText.of(events))

        #expect(verdict.accepted.map(\.index) == [1])
        #expect(verdict.warnings.isEmpty)
    }

    @Test func theNextBatchKnowsNothingOfIt() throws {
        let batch = BatchText.of([EventText.start()])

        #expect(try judge(batch) == judge(batch))
    }

    @Test func aSessionMayEndTwice() throws {
        let session = quoted(EventText.sessionID(7))
        let events = [
            EventText.start(1) { $0["session_id"] = session },
            EventText.end(2) { $0["session_id"] = session },
            EventText.end(3) {
                $0["session_id"] = session
                $0["duration_ms"] = "3000"
            },
            EventText.start(1) { $0["session_id"] = session },
        ]

        let verdict = try judge(BatchText.of(events))

        #expect(verdict.acceptedCount == 4)
        #expect(verdict.accepted.map(\.event.durationMs) == [nil, 5000, 3000])
    }
}
