import Contracts
import Testing

@testable import IngestCore

@Suite struct IdentifierTests {
    static let fields = ["insert_id", "install_id", "session_id"]
    static let lower = "0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0"

    /// Anything but the hyphenated 36 characters.
    static let otherSpellings = [
        "{0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0}", "urn:uuid:0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0",
        "0f1e2d3c4b5a49688776a5b4c3d2e1f0", "0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f",
        "0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f00", #"0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0\n"#,
        " 0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0", "0f1e2d3c_4b5a_4968_8776_a5b4c3d2e1f0",
        "0f1e2d3c4-b5a-4968-8776-a5b4c3d2e1f0", "0g1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0",
        "0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f\u{FF10}", "null", "undefined", "0", "-", "",
    ]

    @Test(arguments: fields, otherSpellings)
    func otherSpellingsAreRejected(field: String, text: String) throws {
        let event = EventText.start { $0[field] = "\"\(text)\"" }

        #expect(try outcome(event) == "invalid_field events[0].\(field)")
    }

    @Test(arguments: fields) func theNilUUIDIsRejected(field: String) throws {
        let event = EventText.start { $0[field] = quoted("00000000-0000-0000-0000-000000000000") }

        #expect(try outcome(event) == "invalid_field events[0].\(field)")
    }

    @Test(arguments: [
        "00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "0199d6c1-0000-7000-8000-000000000005", "12345678-1234-1234-1234-123456789012",
    ])
    func anyOtherVersionIsTaken(text: String) throws {
        let event = EventText.start { event in Self.fields.forEach { event[$0] = quoted(text) } }

        #expect(try outcome(event) == "accepted")
    }

    @Test func theCaseOfAnInstallDoesNotMatter() throws {
        let events = [
            EventText.start(1) { $0["install_id"] = quoted(Self.lower) },
            EventText.start(2) { $0["install_id"] = quoted(Self.lower.uppercased()) },
        ]

        #expect(Set(try judge(BatchText.of(events)).accepted.map(\.installID)).count == 1)
    }

    @Test func theCaseOfASessionDoesNotMatter() throws {
        let events = [
            EventText.start(1) { $0["session_id"] = quoted(Self.lower.uppercased()) },
            EventText.end(2) { $0["session_id"] = quoted(Self.lower) },
        ]

        #expect(Set(try judge(BatchText.of(events)).accepted.map(\.event.sessionID)).count == 1)
    }

    @Test func theCaseOfAnInsertIDDoesNotMatter() throws {
        let events = [
            EventText.start(1) { $0["insert_id"] = quoted(Self.lower) },
            EventText.start(2) { $0["insert_id"] = quoted(Self.lower.uppercased()) },
        ]

        #expect(try judge(BatchText.of(events)).warningCodes == [.duplicateInsertIDInBatch])
    }
}
