import Kafka
import Postgres
import Testing

@testable import AggregatorCore

/// What the figures of a partition mean at their borders.
@Suite struct PartitionLagTests {
    private func lag(
        stored: Int64?,
        _ start: Int64,
        _ end: Int64,
        unreadMs: Int64? = 1_000,
        keptMs: Int64? = 60_000
    ) -> PartitionLag {
        PartitionLag(
            topic: "t",
            partition: 0,
            stored: stored,
            log: (start, end),
            oldestUnreadMs: unreadMs,
            retentionMs: keptMs
        )
    }

    @Test(
        arguments: [
            (3, 0, 10, 7, 0), (10, 0, 10, 0, 0), (0, 4, 10, 6, 4), (nil, 4, 10, 6, 0), (20, 0, 10, 10, 0),
            (nil, 0, 0, 0, 0), (2, 8, 8, 0, 6),
        ] as [(Int64?, Int64, Int64, Int64, Int64)]
    )
    func countsWhatIsUnreadAndWhatIsGone(
        stored: Int64?,
        start: Int64,
        end: Int64,
        unread: Int64,
        lost: Int64
    ) {
        let lag = lag(stored: stored, start, end)
        #expect(lag.messages == unread)
        #expect(lag.lost == lost)
    }

    @Test func theMarginIsWhatRetentionLeavesOfTheOldestUnread() {
        let lag = lag(stored: 3, 0, 10)
        #expect(lag.ageSeconds(nowMs: 31_000) == 30)
        #expect(lag.marginSeconds(nowMs: 31_000) == 30)
        #expect(lag.marginSeconds(nowMs: 71_000) == -10)
    }

    @Test func withoutLagThereIsNoAgeAndNoEndOfTheMargin() {
        let lag = lag(stored: 10, 0, 10)
        #expect(lag.ageSeconds(nowMs: 31_000) == 0)
        #expect(lag.marginSeconds(nowMs: 31_000) == .infinity)
    }

    @Test func aTopicKeptForEverHasNoEnd() {
        #expect(lag(stored: 3, 0, 10, keptMs: nil).marginSeconds(nowMs: 31_000) == .infinity)
    }

    @Test func aMessageThatCouldNotBeReadSaysNothing() {
        let lag = lag(stored: 3, 0, 10, unreadMs: nil)
        #expect(lag.ageSeconds(nowMs: 31_000) == nil)
        #expect(lag.marginSeconds(nowMs: 31_000) == nil)
    }
}

/// How missing offsets show.
@Suite struct OffsetGapTests {
    private func messages(_ places: (Int32, Int64)...) -> [KafkaMessage] {
        places.map { KafkaMessage(at: .init(topic: "t", partition: $0.0), offset: $0.1, payload: nil) }
    }

    private func assignment(_ stored: [Int32: Int64]) -> Assignment {
        var assignment = Assignment()
        assignment.take([0, 1], stored: stored)
        return assignment
    }

    @Test func offsetsInARowHaveNone() {
        #expect(assignment([0: 4]).gaps(before: messages((0, 4), (1, 9), (0, 5), (1, 10))) == [])
    }

    @Test func theFirstMessageTellsWhatExpiredBeforeIt() {
        let gaps = assignment([0: 4]).gaps(before: messages((0, 9), (0, 10)))
        #expect(gaps == [OffsetGap(partition: 0, from: 4, to: 9)])
        #expect(gaps.first?.count == 5)
    }

    @Test func aGapInTheMiddleIsSeenToo() {
        let gaps = assignment([0: 4, 1: 0]).gaps(before: messages((0, 4), (1, 0), (0, 7), (1, 1)))
        #expect(gaps == [OffsetGap(partition: 0, from: 5, to: 7)])
    }

    @Test func repeatsAreNoGap() {
        #expect(assignment([0: 4]).gaps(before: messages((0, 2), (0, 3), (0, 4))) == [])
    }
}

/// Which failures concern the database's health.
@Suite struct StoreConflictTests {
    @Test(arguments: [("40001", true), ("40P01", true), ("08006", false), ("57P01", false), ("42501", false)])
    func onlyTransactionsThatGaveWayAreConflicts(state: String, isConflict: Bool) {
        #expect(StoreReport.isConflict(PostgresError(sqlState: state, message: "")) == isConflict)
    }
}
