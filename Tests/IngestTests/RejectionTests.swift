import Contracts
import Testing

@testable import IngestCore

/// An event that is turned away, by which code and which of its fields.
struct RejectionCase: Sendable, CustomTestStringConvertible {
    let code: RejectionCode
    let field: String
    let event: ObjectText

    init(_ code: RejectionCode, _ field: String, _ event: ObjectText) {
        self.code = code
        self.field = field
        self.event = event
    }

    var testDescription: String { "\(code.rawValue) \(field): \(event.json)" }
}

@Suite struct RejectionTests {
    static let missing = ["insert_id", "name", "timestamp", "install_id", "session_id"].flatMap { field in
        [
            RejectionCase(.missingField, field, EventText.start { $0[field] = nil }),
            RejectionCase(.missingField, field, EventText.start { $0[field] = "null" }),
        ]
    }

    static let ofWrongType = ["insert_id", "name", "timestamp", "install_id", "session_id", "user_id"].flatMap
    {
        field in
        ["1", "1.5", "true", "[]", "{}", "1e400"].map { json in
            RejectionCase(.invalidField, field, EventText.start { $0[field] = json })
        }
    }

    static let ofWrongForm = [
        RejectionCase(.invalidField, "insert_id", EventText.start { $0["insert_id"] = quoted("") }),
        RejectionCase(.invalidField, "install_id", EventText.start { $0["install_id"] = quoted("I1") }),
        RejectionCase(.invalidField, "session_id", EventText.start { $0["session_id"] = quoted(" ") }),
        RejectionCase(.invalidField, "timestamp", EventText.start { $0["timestamp"] = quoted("") }),
        RejectionCase(.invalidField, "user_id", EventText.start { $0["user_id"] = quoted("") }),
        RejectionCase(.invalidField, "duration_ms", EventText.end { $0["duration_ms"] = "86400001" }),
        RejectionCase(.invalidField, "context", EventText.start { $0["context"] = "[]" }),
        RejectionCase(.invalidField, "context", EventText.start { $0["context"] = quoted("ios") }),
        RejectionCase(
            .invalidField,
            "context.platform",
            EventText.start { $0["context"] = #"{"platform":"tvos"}"# }
        ),
    ]

    static let others = [
        RejectionCase(.unknownEventName, "name", EventText.start { $0["name"] = quoted("purchase") }),
        RejectionCase(.unknownEventName, "name", EventText.start { $0["name"] = quoted("") }),
        RejectionCase(.unknownEventName, "name", EventText.start { $0["name"] = quoted("Session_Start") }),
        RejectionCase(.unknownEventName, "name", EventText.start { $0["name"] = quoted("session_start ") }),
        RejectionCase(.unknownEventName, "name", EventText.start { $0["name"] = #""session_start\u0000""# }),
        RejectionCase(.durationRequired, "duration_ms", EventText.end { $0["duration_ms"] = nil }),
        RejectionCase(.durationRequired, "duration_ms", EventText.end { $0["duration_ms"] = "null" }),
        RejectionCase(
            .eventTooOld,
            "timestamp",
            EventText.start { $0["timestamp"] = quoted("2026-10-07T09:15:01.999Z") }
        ),
        RejectionCase(
            .userIDLooksLikePII,
            "user_id",
            EventText.start { $0["user_id"] = quoted("+79161234567") }
        ),
    ]

    static let all = missing + ofWrongType + ofWrongForm + others

    /// Given by the limiter, which the validator knows nothing of.
    static let notTheValidators: Set<RejectionCode> = [.installRateLimited]

    @Test(arguments: all) func namesTheCodeAndTheField(_ rejection: RejectionCase) throws {
        #expect(try outcome(rejection.event) == "\(rejection.code.rawValue) events[0].\(rejection.field)")
    }

    @Test func everyCodeHasACase() {
        let covered = Set(Self.all.map(\.code)).union(Self.notTheValidators)
        #expect(covered == Set(RejectionCode.allCases))
    }

    @Test func theValidEventsOfTheseTestsAreValid() throws {
        #expect(try outcome(EventText.start()) == "accepted")
        #expect(try outcome(EventText.end()) == "accepted")
    }

    @Test(arguments: ["null", "1", #""session_start""#, "[]", "true"])
    func anElementThatIsNoObjectIsNamedByItsIndex(_ json: String) throws {
        let verdict = try judge(BatchText.ofValues([EventText.start().json, json]))

        #expect(verdict.outcomes == ["accepted", "invalid_field events[1]"])
    }

    @Test func theFieldIsThatOfTheEventsOwnIndex() throws {
        let events = [EventText.start(1), EventText.start(2), EventText.start(3) { $0["user_id"] = "1" }]

        #expect(try judge(BatchText.of(events)).rejected.map(\.field) == ["events[2].user_id"])
    }

    @Test func theInsertIDIsGivenBackWhenItIsOne() throws {
        let verdict = try judge(BatchText.of([EventText.start(7) { $0["name"] = nil }]))

        #expect(verdict.rejected.map(\.insertID) == [UUID128(EventText.insertID(7))])
    }

    @Test func anInsertIDThatIsNoneIsNotGivenBack() throws {
        let verdict = try judge(
            BatchText.of([EventText.start { $0["insert_id"] = quoted("jo@example.com") }])
        )

        #expect(verdict.rejected.map(\.insertID) == [nil])
        #expect(verdict.rejected.map(\.field) == ["events[0].insert_id"])
    }

    @Test func anEventHasOneReasonHoweverManyFaults() throws {
        let event = ObjectText([("name", "1"), ("user_id", quoted("jo@example.com"))])

        #expect(try outcome(event) == "missing_field events[0].insert_id")
    }

    @Test func unknownFieldsAreIgnored() throws {
        let event = EventText.start {
            $0["revenue"] = #"{"amount":1e400,"currency":null}"#
            $0[""] = "[]"
        }

        #expect(try outcome(event) == "accepted")
    }
}
