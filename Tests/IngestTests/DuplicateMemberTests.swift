import Contracts
import Testing

@testable import IngestCore

/// A name that occurs twice is refused, since readers differ in which one they believe.
@Suite struct DuplicateMemberTests {
    static let eventFields = [
        "insert_id", "name", "timestamp", "install_id", "session_id", "user_id", "duration_ms", "context",
    ]

    private static func valid(_ field: String) -> String {
        switch field {
        case "user_id": quoted("42")
        case "context": "{}"
        default: EventText.end()[field] ?? "null"
        }
    }

    @Test(arguments: eventFields) func anEventsFieldTwiceRejectsTheEvent(field: String) throws {
        let event = EventText.end {
            $0[field] = Self.valid(field)
            $0.members.append((field, Self.valid(field)))
        }

        #expect(try outcome(event) == "invalid_field events[0].\(field)")
    }

    @Test(arguments: [(#""42""#, #""jo@example.com""#), (#""jo@example.com""#, #""42""#)])
    func neitherOrderLetsAnAddressThrough(first: String, second: String) throws {
        let event = EventText.start { $0.members += [("user_id", first), ("user_id", second)] }

        #expect(try outcome(event) == "invalid_field events[0].user_id")
    }

    @Test func anEscapedSpellingIsTheSameName() throws {
        let event = EventText.start {
            $0.members += [("user_id", quoted("42")), (#"user_\u0069d"#, quoted("jo@example.com"))]
        }

        #expect(try outcome(event) == "invalid_field events[0].user_id")
    }

    @Test func anEscapedSpellingAloneIsThatField() throws {
        let event = EventText.start { $0.members.append((#"user_\u0069d"#, quoted("jo@example.com"))) }

        #expect(try outcome(event) == "user_id_looks_like_pii events[0].user_id")
    }

    @Test(arguments: ["events", "sent_at", "context", "app_key"])
    func aBatchsFieldTwiceRefusesTheBatch(field: String) throws {
        let batch = BatchText.of([EventText.start()]) {
            $0["context"] = "{}"
            $0["app_key"] = quoted("pk_1")
            $0.members.append((field, $0[field] ?? "null"))
        }

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: field, issue: .duplicate))
    }

    @Test(arguments: ContextSpelling.fields.keys.sorted())
    func aContextsFieldTwiceRejectsTheEvent(field: String) throws {
        let value = ContextSpelling.fields[field] ?? ""
        let context = ObjectText([(field, quoted(value)), (field, quoted(value))])

        let event = EventText.start { $0["context"] = context.json }

        #expect(try outcome(event) == "invalid_field events[0].context")
    }

    @Test func aFieldTwiceInTheBatchsContextRejectsEveryEvent() throws {
        let events = [EventText.start(1), EventText.start(2) { $0["context"] = #"{"platform":"web"}"# }]
        let batch = BatchText.of(events) { $0["context"] = #"{"platform":"ios","platform":"web"}"# }

        #expect(try judge(batch).outcomes == ["invalid_field context", "invalid_field context"])
    }

    @Test func unknownNamesMayRepeat() throws {
        let event = EventText.start { $0.members += [("note", "1"), ("note", "2")] }

        #expect(try outcome(event) { $0.members += [("note", "1"), ("note", "2")] } == "accepted")
    }
}

/// A valid value of each field of `context`.
enum ContextSpelling {
    static let fields = [
        "platform": "web", "environment": "development", "device_type": "tablet", "os_name": "iPadOS",
        "os_version": "26.0.1", "app_version": "3.4.0", "app_build": "1207", "device_model": "iPad16,3",
        "locale": "ru-RU", "ip": "81.2.69.142",
    ]
}
