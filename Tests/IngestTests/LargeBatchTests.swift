import Contracts
import Testing

@testable import IngestCore

/// One broken element among 500.
struct BrokenElement: Sendable, CustomTestStringConvertible {
    let json: String
    let outcome: String

    init(_ json: String, _ outcome: String) {
        self.json = json
        self.outcome = outcome
    }

    init(_ outcome: String, _ change: (inout ObjectText) -> Void) {
        self.init(EventText.start(250, change).json, outcome)
    }

    var testDescription: String { json }
}

@Suite struct LargeBatchTests {
    private static let index = 250

    static let broken = [
        BrokenElement("1", "invalid_field events[250]"),
        BrokenElement("null", "invalid_field events[250]"),
        BrokenElement("[]", "invalid_field events[250]"),
        BrokenElement("{}", "missing_field events[250].insert_id"),
        BrokenElement("missing_field events[250].name") { $0["name"] = nil },
        BrokenElement("unknown_event_name events[250].name") { $0["name"] = quoted("purchase") },
        BrokenElement("invalid_field events[250].name") { $0["name"] = "7" },
        BrokenElement("invalid_field events[250].session_id") { $0["session_id"] = "[1]" },
        BrokenElement("event_too_old events[250].timestamp") {
            $0["timestamp"] = quoted("2026-10-06T09:15:02Z")
        },
        BrokenElement("user_id_looks_like_pii events[250].user_id") {
            $0["user_id"] = quoted("jo@example.com")
        },
        BrokenElement("invalid_field events[250].user_id") { $0["user_id"] = #""\ud800""# },
        BrokenElement("duration_required events[250].duration_ms") { $0["name"] = quoted("session_end") },
        BrokenElement("invalid_field events[250].duration_ms") {
            $0["name"] = quoted("session_end")
            $0["duration_ms"] = "1e400"
        },
    ]

    private func batch(_ element: String) -> ObjectText {
        var values = (0..<500).map { EventText.start($0).json }
        values[Self.index] = element
        return BatchText.ofValues(values)
    }

    @Test(arguments: broken) func costsItselfOnly(_ element: BrokenElement) throws {
        let verdict = try judge(batch(element.json))

        #expect(verdict.acceptedCount == 499)
        #expect(verdict.rejected.map { "\($0.code.rawValue) \($0.field)" } == [element.outcome])
        #expect(verdict.rejected.map(\.index) == [Self.index])
    }

    @Test(arguments: broken) func fiveHundredOfItAreStillAnAnswer(_ element: BrokenElement) throws {
        let verdict = try judge(BatchText.ofValues(Array(repeating: element.json, count: 500)))

        #expect(verdict.acceptedCount == 0)
        #expect(verdict.rejected.count == 500)
    }
}
