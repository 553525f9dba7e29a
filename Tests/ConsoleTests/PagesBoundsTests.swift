import Foundation
import Testing

@testable import ConsoleCore

/// What the pages promise is what the control plane takes.
@Suite struct PagesBoundsTests {
    @Test func pagesAskForPasswordsThatAreLongEnough() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Services/Console/Pages/core/passwords.js")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("passwordCharactersMin = \(Accounts.passwordScalarsMin);"))
    }
}
