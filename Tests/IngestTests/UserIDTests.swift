import Contracts
import Testing

@testable import IngestCore

@Suite struct UserIDTests {
    private func outcome(_ text: String) throws -> String {
        try IngestTests.outcome(EventText.start { $0["user_id"] = quoted(text) })
    }

    static let accountIDs = [
        "5551234567", "79001234567", "00000000000", "0", "1", "42", "123456789012345678",
        "12345678-1234-1234-1234-123456789012", "6f1c2a9e-3b7d-4c55-8a2e-0d9b1f7e4c21", "20261130-000123",
        "v20261130T010203456Z-1a2b3c", "22-7654321.000", "auth0|0123456789abcdef01234567", "team@42",
        "@handle", "@", "a@b", "jo@localhost", "user@host.1", "a@.b.com", "2026-11-30", "192.168.100.200",
        "1234-5678-9012", "555-1234", "3.14159265358", "1.2.3", "1/2/3", "50%", "a%2Fb", "100%40", "a+b",
        "1+1", "a b", "A:b", "..", "日本", "😀", "e\u{301}", "é", "user_5551234567", "id-555-123-4567",
        "0x1F", "-5", "1e10", "(none)", "ФИО-12", "team/42", "+", "+1", "tel:", "000-000", "12-34-56",
    ]

    @Test(arguments: accountIDs) func accountIDsPass(text: String) throws {
        #expect(try outcome(text) == "accepted")
    }

    static let personal = [
        "+15551234567", "+7 (900) 123-45-67", "(555) 123-4567", "555-123-4567", "8 900 123-45-67",
        "8-900-123-45-67", "+7\u{A0}900\u{A0}123\u{A0}45\u{A0}67", "+49 30 1234567", "\u{FF0B}15551234567",
        "555\u{2011}123\u{2011}4567", " +15551234567 ", "tel:+15551234567", "TEL: +1 555 123 4567",
        "%2B15551234567", "+79161234567", "jo@example.com", " Jo@Example.COM ",
        "jo%40example.com", "JO%40EXAMPLE.COM", "mailto:jo@example.com", "jo@пример.рф",
        "jo+tag@example.co.uk",
        "Jo <jo@example.com>", "jo@example.com.", "jo\u{FF20}example.com", "jo@xn--e1afmkfd.xn--p1ai",
        "ящик@пример.рф", "a@b.co", "auth0|jo@example.com", "\"jo doe\"@example.com",
    ]

    @Test(arguments: personal) func addressesAndTelephonesAreRejectedAsSuch(text: String) throws {
        #expect(try outcome(text) == "user_id_looks_like_pii events[0].user_id")
    }

    @Test(arguments: ["", " ", "   ", "\u{A0}", "\u{3000}", "\u{200B}", "\u{FEFF}", "\u{2003}\u{200D}"])
    func blankIsInvalid(text: String) throws {
        #expect(try outcome(text) == "invalid_field events[0].user_id")
    }

    @Test(arguments: [
        #""4\u00002""#, #""\u0000""#, #""a\nb""#, #""a\tb""#, #""a\u001bb""#, #""a\u007fb""#, #""\u0085""#,
    ])
    func controlCharactersAreInvalid(json: String) throws {
        let event = EventText.start { $0["user_id"] = json }

        #expect(try IngestTests.outcome(event) == "invalid_field events[0].user_id")
    }

    @Test(arguments: [
        "123456789012345678", "42", "4.2e1", "0", "1e400", "true", "false", "{}", "[]", #"["42"]"#,
    ])
    func otherJSONTypesAreInvalid(json: String) throws {
        let event = EventText.start { $0["user_id"] = json }

        #expect(try IngestTests.outcome(event) == "invalid_field events[0].user_id")
    }

    @Test(arguments: [#""\ud83d""#, #""\ude00x""#]) func halfACharacterIsInvalid(json: String) throws {
        let event = EventText.start { $0["user_id"] = json }

        #expect(try IngestTests.outcome(event) == "invalid_field events[0].user_id")
    }

    @Test func nullIsAbsent() throws {
        let verdict = try judge(BatchText.of([EventText.start { $0["user_id"] = "null" }]))

        #expect(verdict.accepted.map(\.event.userID) == [nil])
    }

    @Test(arguments: ["a", "я", "😀"]) func scalarsAreCountedNotBytes(character: String) throws {
        #expect(try outcome(String(repeating: character, count: 128)) == "accepted")
        #expect(
            try outcome(String(repeating: character, count: 129)) == "invalid_field events[0].user_id"
        )
    }

    @Test func threeThousandCharactersAreInvalid() throws {
        #expect(try outcome(String(repeating: "x", count: 3000)) == "invalid_field events[0].user_id")
    }

    @Test(arguments: ["A", "a", " a ", "é", "e\u{301}", "Ａ", "a%2Fb", #""\"#])
    func isKeptByteForByte(text: String) throws {
        let verdict = try judge(BatchText.of([EventText.start { $0["user_id"] = quoted(text) }]))

        let kept = try #require(verdict.accepted.first?.event.userID)
        #expect(Array(kept.utf8) == Array(text.utf8))
    }

    /// An address with a control character is still called what it is.
    @Test func thePersonalRuleComesFirst() throws {
        let event = EventText.start { $0["user_id"] = #""jo@example.com\n""# }

        #expect(try IngestTests.outcome(event) == "user_id_looks_like_pii events[0].user_id")
    }
}
