import Contracts
import Testing

@testable import IngestCore

/// `received_at + (timestamp − sent_at)` to the millisecond, and what is clamped or too old.
@Suite struct ClockTests {
    private static let receivedAtMs = TestTime.receivedAtMs

    private func verdict(timestamp: String, sentAt: String) throws -> BatchVerdict {
        let event = EventText.start { $0["timestamp"] = quoted(timestamp) }
        return try judge(BatchText.of([event]) { $0["sent_at"] = quoted(sentAt) })
    }

    /// How far the event lies from the receipt; nil when it is rejected.
    private func offsetMs(timestamp: String, sentAt: String) throws -> Int64? {
        try verdict(timestamp: timestamp, sentAt: sentAt).accepted.first.map {
            $0.event.eventTimeMs - Self.receivedAtMs
        }
    }

    @Test(arguments: [
        ("2026-10-14T09:15:02.000Z", "2026-10-14T09:15:02.000Z", Int64(0)),
        ("2026-10-14T09:15:01.999Z", "2026-10-14T09:15:02.000Z", -1),
        ("2026-10-14T09:25:02.000Z", "2026-10-14T09:15:02.000Z", 600_000),
        ("2026-10-07T09:15:02.000Z", "2026-10-14T09:15:02.000Z", -604_800_000),
        ("1970-01-01T00:05:00Z", "1970-01-01T00:06:00Z", -60_000),
        ("2106-02-07T06:27:00Z", "2106-02-07T06:28:00Z", -60_000),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:01:00Z", -60_000),
        ("9999-12-31T23:58:59.999Z", "9999-12-31T23:59:59.999Z", -60_000),
        ("2262-04-11T23:47:16Z", "2262-04-11T23:48:16Z", -60_000),
        ("2026-10-14T12:15:02.000+03:00", "2026-10-14T09:15:02.000Z", 0),
        ("2026-10-14T09:15:02.000Z", "2026-10-13T09:15:02.500-23:59", 59_500),
    ])
    func theDifferenceOfTheDevicesReadingsCounts(timestamp: String, sentAt: String, offset: Int64) throws {
        #expect(try offsetMs(timestamp: timestamp, sentAt: sentAt) == offset)
    }

    @Test(arguments: [
        ("2026-10-14T09:25:02.001Z", "2026-10-14T09:15:02.000Z"),
        ("2026-10-14T09:15:02.000Z", "1970-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999-23:59", "0000-01-01T00:00:00+23:59"),
        ("2262-04-12T00:00:00Z", "2026-10-14T09:15:02.000Z"),
    ])
    func moreThanTenMinutesAheadBecomesTheReceipt(timestamp: String, sentAt: String) throws {
        let verdict = try verdict(timestamp: timestamp, sentAt: sentAt)

        #expect(verdict.accepted.map(\.event.eventTimeMs) == [Self.receivedAtMs])
        #expect(verdict.warningCodes == [.timestampInFutureClamped])
    }

    @Test(arguments: [
        ("2026-10-07T09:15:01.999Z", "2026-10-14T09:15:02.000Z"),
        ("1970-01-01T00:05:00Z", "2026-10-14T09:15:02.000Z"),
        ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
        ("0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999-23:59"),
        ("2026-10-14T09:15:02.000Z", "2262-04-12T00:00:00Z"),
    ])
    func moreThanSevenDaysOldIsRejected(timestamp: String, sentAt: String) throws {
        let verdict = try verdict(timestamp: timestamp, sentAt: sentAt)

        #expect(verdict.outcomes == ["event_too_old events[0].timestamp"])
    }

    @Test(arguments: ["2026-10-14T09:25:02.000Z", "2026-10-07T09:15:02.000Z"])
    func theLimitsThemselvesGiveNoWarning(timestamp: String) throws {
        let verdict = try verdict(timestamp: timestamp, sentAt: "2026-10-14T09:15:02.000Z")

        #expect(verdict.warnings.isEmpty)
    }

    @Test func clientTimeIsKeptAsTheDeviceWroteIt() throws {
        let verdict = try verdict(timestamp: "1970-01-01T00:05:00.250Z", sentAt: "1970-01-01T00:06:00Z")

        #expect(verdict.accepted.map(\.event.clientTimeMs) == [300_250])
    }

    @Test func clientTimeIsKeptWhenTheEventIsClamped() throws {
        let verdict = try verdict(timestamp: "2026-10-15T00:00:00Z", sentAt: "2026-10-14T00:00:00Z")

        #expect(verdict.accepted.map(\.event.clientTimeMs) == [1_792_022_400_000])
    }
}
