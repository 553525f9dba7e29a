import AggregatorCore
import Contracts
import Testing

/// Every spelling of a subject is found, and what only looks like one is not.
@Suite struct SubjectSearchTests {
    static let install = "6f1c2a9e-3b7d-4c55-8a2e-0d9b1f7e4c21"

    func isFound(_ type: DeletionSubjectType, _ value: String, in bytes: [UInt8]) throws -> Bool {
        let search = SubjectSearch(try #require(DeletionSubject(type, value)))
        return bytes.withUnsafeBytes { search.isFound(in: $0) }
    }

    @Test(
        arguments: [
            install, "x \(install) y", install.uppercased(), "6F1c2a9e-3b7d-4c55-8a2e-0d9b1f7e4c21",
            install.replacing("-", with: ""), #"\u0036f1c2a9e-3b7d-4c55-8a2e-0d9b1f7e4c21"#,
        ]
    )
    func anInstallIsFoundInEverySpelling(text: String) throws {
        #expect(try isFound(.install, Self.install, in: Array(text.utf8)))
    }

    @Test func anInstallIsFoundAsItsBytes() throws {
        let bytes = try #require(UUID128(Self.install)).bytes
        #expect(try isFound(.install, Self.install, in: [0, 1] + bytes + [2]))
        #expect(try !isFound(.install, Self.install, in: [0, 1] + bytes.dropLast() + [2]))
    }

    @Test(
        arguments: [
            (#"tab"and\slash"#, #"{"user_id":"tab\"and\\slash"}"#), ("accounts/8", #"{"u":"accounts\/8"}"#),
            ("日本 account", #"{"u":"\u65e5\u672C account"}"#),
            ("smile 😀 face", #"{"u":"smile \ud83d\uDE00 face"}"#),
            ("account-12345", "account-12345"), ("account-12345", "…account-12345…"), ("7", #"{"u":"7"}"#),
            ("7", "7"),
        ]
    )
    func aUserIsFoundWithAnyEscapes(user: String, text: String) throws {
        #expect(try isFound(.user, user, in: Array(text.utf8)))
    }

    @Test(
        arguments: [
            ("account-12345", "account-1234"), ("account-12345", "ACCOUNT-12345"), ("7", "77"),
            ("7", #"{"u":"17"}"#),
            ("7", #"{"u":7}"#), ("e\u{301}clair-1234", "\u{E9}clair-1234"), ("account-12345", ""),
            ("account-12345", #"account-1234\"#),
        ]
    )
    func whatIsAnotherUserIsNotFound(user: String, text: String) throws {
        #expect(try !isFound(.user, user, in: Array(text.utf8)))
    }
}
