import Contracts
import GeoIP
import Testing

@testable import IngestCore

/// Reads a resolved context by the names the client uses.
private func value(_ field: String, of resolved: ResolvedContext?) -> String? {
    guard let resolved else { return nil }
    switch field {
    case "platform": return resolved.context.platform.rawValue
    case "environment": return resolved.context.environment.rawValue
    case "device_type": return resolved.context.deviceType?.rawValue
    case "ip":
        guard case .given(let address) = resolved.address else { return nil }
        return address.description
    default:
        return ContextField(rawValue: field).flatMap { resolved.context[keyPath: $0.keyPath] }
    }
}

/// What a field reads as when nobody sends it, with the key of these tests.
private let absent: [String: String] = ["platform": "ios", "environment": "production"]

@Suite struct ContextTests {
    static let names = ContextSpelling.fields.keys.sorted()

    private func object(_ field: String, _ json: String) -> String { ObjectText([(field, json)]).json }

    @Test func everyFieldOfTheContextIsInTheTable() {
        let texts = Set(ContextField.allCases.map(\.rawValue))
        #expect(Set(Self.names) == texts.union(["platform", "environment", "device_type", "ip"]))
    }

    @Test(arguments: names) func theBatchsFieldIsTaken(field: String) throws {
        let text = try #require(ContextSpelling.fields[field])

        let resolved = try context(of: EventText.start()) { $0["context"] = object(field, quoted(text)) }

        #expect(value(field, of: resolved) == text)
    }

    @Test(arguments: names) func theEventsFieldIsTaken(field: String) throws {
        let text = try #require(ContextSpelling.fields[field])

        let resolved = try context(of: EventText.start { $0["context"] = object(field, quoted(text)) })

        #expect(value(field, of: resolved) == text)
    }

    static let otherValues = [
        "platform": "android", "environment": "production", "device_type": "phone", "os_name": "Android",
        "os_version": "15", "app_version": "3.3.9", "app_build": "1188", "device_model": "Pixel 9",
        "locale": "de-DE", "ip": "2a02:d280::1",
    ]

    @Test(arguments: names) func theEventsFieldWins(field: String) throws {
        let batch = ObjectText(ContextSpelling.fields.map { ($0.key, quoted($0.value)) })
        let own = try #require(Self.otherValues[field])

        let resolved = try context(of: EventText.start { $0["context"] = object(field, quoted(own)) }) {
            $0["context"] = batch.json
        }

        #expect(value(field, of: resolved) == own)
    }

    @Test(arguments: names) func theOtherFieldsStayTheBatchs(field: String) throws {
        let batch = ObjectText(ContextSpelling.fields.map { ($0.key, quoted($0.value)) })
        let own = try #require(Self.otherValues[field])

        let resolved = try context(of: EventText.start { $0["context"] = object(field, quoted(own)) }) {
            $0["context"] = batch.json
        }

        for other in Self.names where other != field {
            #expect(value(other, of: resolved) == ContextSpelling.fields[other])
        }
    }

    @Test(arguments: names, ["null", #""""#]) func nothingInTheEventKeepsTheBatchs(
        field: String,
        json: String
    )
        throws
    {
        let text = try #require(ContextSpelling.fields[field])

        let resolved = try context(of: EventText.start { $0["context"] = object(field, json) }) {
            $0["context"] = object(field, quoted(text))
        }

        #expect(value(field, of: resolved) == text)
    }

    @Test(arguments: names, ["null", #""""#]) func nothingAtAllIsAbsent(field: String, json: String) throws {
        let resolved = try context(of: EventText.start { $0["context"] = object(field, json) })

        #expect(resolved != nil)
        #expect(value(field, of: resolved) == absent[field])
        #expect(resolved?.address == .connection)
    }

    /// An address is never a reason to reject.
    static let rejectable = names.filter { $0 != "ip" }

    @Test(arguments: rejectable, ["1", "true", "[]", "{}", "1e400"])
    func otherJSONTypesAreInvalid(field: String, json: String) throws {
        let event = EventText.start { $0["context"] = object(field, json) }

        #expect(try outcome(event) == "invalid_field events[0].context.\(field)")
    }

    @Test(arguments: rejectable) func anInvalidFieldOfTheBatchIsNamedAsTheBatchs(field: String) throws {
        let result = try outcome(EventText.start()) { $0["context"] = object(field, "1") }

        #expect(result == "invalid_field context.\(field)")
    }

    @Test(arguments: rejectable) func anEventMayOverrideWhatItsBatchHasWrong(field: String) throws {
        let text = try #require(ContextSpelling.fields[field])
        let events = [
            EventText.start(1) { $0["context"] = object(field, quoted(text)) }, EventText.start(2),
            EventText.start(3) { $0["context"] = object(field, "null") },
        ]

        let verdict = try judge(BatchText.of(events) { $0["context"] = object(field, "1") })

        #expect(
            verdict.outcomes == [
                "accepted", "invalid_field context.\(field)", "invalid_field context.\(field)",
            ]
        )
    }

    @Test(arguments: rejectable) func anEventMayBreakWhatItsBatchHasRight(field: String) throws {
        let text = try #require(ContextSpelling.fields[field])
        let event = EventText.start { $0["context"] = object(field, "1") }

        let result = try outcome(event) { $0["context"] = object(field, quoted(text)) }

        #expect(result == "invalid_field events[0].context.\(field)")
    }

    @Test(arguments: ["null", "{}", #"{"unknown":[1,2,{}],"os":"x"}"#])
    func aContextWithNothingKnownIsNone(json: String) throws {
        let result = try outcome(EventText.start { $0["context"] = json }) { $0["context"] = json }

        #expect(result == "accepted")
    }

    @Test func aThousandUnknownFieldsAreIgnored() throws {
        let members = (0..<1000).map { ("field_\($0)", quoted("value")) }

        #expect(try outcome(EventText.start { $0["context"] = ObjectText(members).json }) == "accepted")
    }

    @Test(arguments: ["[]", "1", #""ios""#, "true"]) func aBatchsContextOfAnotherTypeRefusesTheBatch(
        json: String
    )
        throws
    {
        let batch = BatchText.of([EventText.start()]) { $0["context"] = json }

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: "context", issue: .notAnObject))
    }

    @Test func equalContextsAreKeptOnce() throws {
        let events = (0..<4).map { number in
            EventText.start(number) { $0["context"] = #"{"app_version":"\#(number % 2)"}"# }
        }

        let verdict = try judge(BatchText.of(events))

        #expect(verdict.contexts.map(\.context.appVersion) == ["0", "1"])
        #expect(verdict.accepted.map(\.event.context) == [0, 1, 0, 1])
    }
}

@Suite struct ContextTextTests {
    static let fields = ContextField.allCases

    private func event(_ field: ContextField, _ json: String) -> ObjectText {
        EventText.start { $0["context"] = ObjectText([(field.rawValue, json)]).json }
    }

    @Test func theBoundsAreThoseOfTheDocumentation() {
        let bounds = Self.fields.map { "\($0.rawValue) \($0.scalarsMax)" }
        #expect(
            bounds == [
                "os_name 64", "os_version 64", "app_version 64", "app_build 64", "device_model 128",
                "locale 35",
            ]
        )
    }

    @Test(arguments: fields, ["a", "я", "😀"]) func theBoundItselfIsTaken(
        field: ContextField,
        character: String
    )
        throws
    {
        let text = String(repeating: character, count: field.scalarsMax)

        let resolved = try context(of: event(field, quoted(text)))

        #expect(resolved?.context[keyPath: field.keyPath] == text)
    }

    @Test(arguments: fields, ["a", "я", "😀"]) func oneScalarMoreIsInvalid(
        field: ContextField,
        character: String
    )
        throws
    {
        let text = String(repeating: character, count: field.scalarsMax + 1)

        #expect(
            try outcome(event(field, quoted(text))) == "invalid_field events[0].context.\(field.rawValue)"
        )
    }

    /// One character to a reader may be many scalars, and it is never cut.
    @Test(arguments: fields) func combiningMarksCountAsScalars(field: ContextField) throws {
        let text = "e" + String(repeating: "\u{301}", count: field.scalarsMax)

        #expect(
            try outcome(event(field, quoted(text))) == "invalid_field events[0].context.\(field.rawValue)"
        )
    }

    @Test(arguments: fields, [10_000]) func tenThousandCharactersAreInvalid(field: ContextField, count: Int)
        throws
    {
        let text = String(repeating: "x", count: count)

        #expect(
            try outcome(event(field, quoted(text))) == "invalid_field events[0].context.\(field.rawValue)"
        )
    }

    @Test(
        arguments: fields,
        [#"a\u0000b"#, #"a\nb"#, #"a\u001b[31m"#, #"a\u007f"#, #"a\u009fb"#, #"\ud83d"#]
    )
    func controlCharactersAreInvalid(field: ContextField, text: String) throws {
        #expect(
            try outcome(event(field, "\"\(text)\"")) == "invalid_field events[0].context.\(field.rawValue)"
        )
    }

    @Test(
        arguments: fields,
        ["<img src=x onerror=alert(1)>", "=1+1", "iPhone14,5", "EU - A | B", "100%", " a "]
    )
    func otherCharactersAreKept(field: ContextField, text: String) throws {
        let resolved = try context(of: event(field, quoted(text)))

        #expect(resolved?.context[keyPath: field.keyPath] == text)
    }

    @Test func aBadTextCostsItsEventOnly() throws {
        let events = (0..<10).map { number in
            EventText.start(number) { if number == 5 { $0["context"] = #"{"device_model":"a\u0000b"}"# } }
        }

        let verdict = try judge(BatchText.of(events))

        #expect(verdict.rejected.map(\.field) == ["events[5].context.device_model"])
        #expect(verdict.acceptedCount == 9)
    }
}
