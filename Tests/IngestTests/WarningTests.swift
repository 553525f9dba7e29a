import Contracts
import Testing

@testable import IngestCore

/// Events that are accepted with one correction.
struct WarningCase: Sendable, CustomTestStringConvertible {
    let code: WarningCode
    let events: [ObjectText]
    var key = RegisteredKey.test()

    var testDescription: String { code.rawValue }
}

@Suite struct WarningTests {
    static let cases = [
        WarningCase(
            code: .timestampInFutureClamped,
            events: [EventText.start { $0["timestamp"] = quoted("2026-10-14T09:25:02.001Z") }]
        ),
        WarningCase(code: .duplicateInsertIDInBatch, events: [EventText.start(), EventText.start()]),
        WarningCase(
            code: .geoIPInvalid,
            events: [EventText.start { $0["context"] = #"{"ip":"999.1.1.1"}"# }]
        ),
        WarningCase(
            code: .platformMissing,
            events: [EventText.start()],
            key: .test(platform: nil, app: .test(platforms: [.ios, .android]))
        ),
    ]

    @Test(arguments: cases) func isGivenOnce(_ warning: WarningCase) throws {
        let verdict = try judge(BatchText.of(warning.events), key: warning.key)

        #expect(verdict.warningCodes == [warning.code])
    }

    @Test(arguments: cases) func turnsNothingAway(_ warning: WarningCase) throws {
        let verdict = try judge(BatchText.of(warning.events), key: warning.key)

        #expect(verdict.acceptedCount == warning.events.count)
    }

    @Test func everyCodeHasACase() {
        #expect(Set(Self.cases.map(\.code)) == Set(WarningCode.allCases))
    }

    /// A copy is not stored, so its code does not travel.
    @Test(arguments: cases.filter { $0.code != .duplicateInsertIDInBatch })
    func travelsWithTheEvent(_ warning: WarningCase) throws {
        let verdict = try judge(BatchText.of(warning.events), key: warning.key)

        #expect(verdict.accepted.map(\.event.warnings) == [[warning.code]])
    }

    @Test func namesTheIndexAndTheInsertID() throws {
        let late = EventText.start(2) { $0["timestamp"] = quoted("2026-10-15T00:00:00Z") }

        let verdict = try judge(BatchText.of([EventText.start(1), late]))

        let id = try #require(UUID128(EventText.insertID(2)))
        #expect(verdict.warnings == [EventWarning(index: 1, insertID: id, code: .timestampInFutureClamped)])
    }

    @Test func oneEventCanHaveSeveral() throws {
        let event = EventText.start {
            $0["timestamp"] = quoted("2026-10-15T00:00:00Z")
            $0["context"] = #"{"ip":"nowhere"}"#
        }
        let key = RegisteredKey.test(platform: nil, app: .test(platforms: [.ios, .web]))

        let verdict = try judge(BatchText.of([event]), key: key)

        #expect(verdict.warningCodes == [.timestampInFutureClamped, .platformMissing, .geoIPInvalid])
    }

    @Test func comesOncePerEvent() throws {
        let key = RegisteredKey.test(platform: nil, app: .test(platforms: [.ios, .web]))

        let verdict = try judge(BatchText.of((0..<3).map { EventText.start($0) }), key: key)

        #expect(verdict.warnings.map(\.index) == [0, 1, 2])
    }

    @Test func aRejectedEventHasNone() throws {
        let event = EventText.start {
            $0["timestamp"] = quoted("2026-10-15T00:00:00Z")
            $0["user_id"] = quoted("jo@example.com")
        }

        #expect(try judge(BatchText.of([event])).warnings.isEmpty)
    }
}
