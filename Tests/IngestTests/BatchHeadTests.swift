import Contracts
import Testing

@testable import IngestCore

/// What refuses a batch as a whole.
@Suite struct BatchHeadTests {
    @Test(arguments: ["[]", "null", "1", #""batch""#, "true", "[{}]"])
    func aDocumentThatIsNoObjectIsNoBatch(text: String) throws {
        #expect(try refusal(ofText: text) == BatchRefusal(.invalidBatch, issue: .notAnObject))
    }

    @Test(arguments: [nil, "null"]) func sentAtIsRequired(json: String?) throws {
        let batch = BatchText.of([EventText.start()]) { $0["sent_at"] = json }

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: "sent_at", issue: .missing))
    }

    @Test(arguments: ["1791969302", "true", "[]", "{}", "1e400"]) func sentAtIsAString(json: String) throws {
        let batch = BatchText.of([EventText.start()]) { $0["sent_at"] = json }

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: "sent_at", issue: .invalid))
    }

    @Test(arguments: [nil, "null"]) func eventsAreRequired(json: String?) throws {
        let batch = BatchText.of([EventText.start()]) { $0["events"] = json }

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: "events", issue: .missing))
    }

    @Test(arguments: ["{}", #""[]""#, "1", "true"]) func eventsAreAnArray(json: String) throws {
        let batch = BatchText.of([EventText.start()]) { $0["events"] = json }

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: "events", issue: .notAnArray))
    }

    @Test func noEventIsTooFew() throws {
        #expect(
            try refusal(of: BatchText.of([]))
                == BatchRefusal(.invalidBatch, field: "events", issue: .minItems)
        )
    }

    @Test(arguments: [1, 500]) func oneToFiveHundredAreTaken(count: Int) throws {
        let batch = BatchText.of((0..<count).map { EventText.start($0) })

        #expect(try judge(batch).acceptedCount == count)
    }

    @Test(arguments: [501, 502, 5000]) func moreThanFiveHundredAreTooMany(count: Int) throws {
        let batch = BatchText.of((0..<count).map { EventText.start($0) })

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: "events", issue: .maxItems))
    }

    /// The count is of elements, good or bad: 501 of anything is a client's bug.
    @Test func brokenElementsCountToo() throws {
        let batch = BatchText.ofValues(Array(repeating: "null", count: 501))

        #expect(try refusal(of: batch)?.issue == .maxItems)
    }

    @Test(arguments: ["1", "true", "[]", "{}"]) func appKeyIsAString(json: String) throws {
        let batch = BatchText.of([EventText.start()]) { $0["app_key"] = json }

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: "app_key", issue: .invalid))
    }

    @Test func unknownMembersAreIgnored() throws {
        let batch = BatchText.of([EventText.start()]) {
            $0["library"] = #"{"name":"x","version":1e400}"#
            $0["Events"] = "1"
        }

        #expect(try judge(batch).acceptedCount == 1)
    }

    @Test func theOrderOfMembersDoesNotMatter() throws {
        let batch = BatchText.of([EventText.start()]) {
            $0["context"] = #"{"app_version":"2"}"#
            $0.members.reverse()
        }

        #expect(try judge(batch).contexts.map(\.context.appVersion) == ["2"])
    }

    @Test func everyIssueHasAName() {
        #expect(
            BatchIssue.allCases.map(\.rawValue) == [
                "not_an_object", "not_an_array", "missing", "invalid", "duplicate", "mismatch", "min_items",
                "max_items",
            ]
        )
    }
}
