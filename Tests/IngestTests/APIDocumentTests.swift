import Contracts
import Foundation
import Testing

@testable import IngestCore

/// The page for developers of apps has a row for every code, so that no answer is a riddle.
@Suite struct APIDocumentTests {
    static func text() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Services/Ingest/API.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test func everyCodeHasARow() throws {
        let rows = try Self.text().split(separator: "\n").filter { $0.hasPrefix("|") }
        let codes =
            RejectionCode.allCases.map(\.rawValue) + WarningCode.allCases.map(\.rawValue)
            + IngestErrorCode.allCases.map { "\($0.status) | `\($0.rawValue)`" }
        for code in codes {
            let cell = code.contains("`") ? "| \(code) |" : "| `\(code)` |"
            #expect(rows.count { $0.hasPrefix(cell) } == 1, "\(code)")
        }
    }

    @Test func everyIssueAndRouteErrorIsNamed() throws {
        let text = try Self.text()
        for issue in BatchIssue.allCases { #expect(text.contains(issue.rawValue), "\(issue)") }
        for code in RouteErrorCode.allCases { #expect(text.contains("`\(code.rawValue)`"), "\(code)") }
    }

    @Test func everyFieldOfAContextIsNamed() throws {
        let text = try Self.text()
        for field in ContextField.allCases { #expect(text.contains("`\(field.rawValue)`"), "\(field)") }
        for platform in Platform.allCases { #expect(text.contains(platform.rawValue), "\(platform)") }
        for type in DeviceType.allCases { #expect(text.contains(type.rawValue), "\(type)") }
    }
}
