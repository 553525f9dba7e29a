import Contracts
import Foundation
import Testing

@testable import ReaderCore

/// The page for people has a row for every code and names every parameter, so that no answer is a riddle.
@Suite struct APIPageTests {
    static func text() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Services/Reader/API.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test func everyErrorHasARow() throws {
        let rows = try Self.text().split(separator: "\n")
        for code in ReadErrorCode.allCases {
            #expect(rows.count { $0.hasPrefix("| \(code.status) | `\(code.rawValue)` |") } == 1, "\(code)")
        }
        for code in RouteErrorCode.allCases {
            #expect(try Self.text().contains("`\(code.rawValue)`"), "\(code)")
        }
    }

    @Test func everyValueOfAParameterIsNamed() throws {
        let text = try Self.text()
        let names =
            ReportFilter.Field.allCases.map(\.rawValue) + ReportDimension.allCases.map(\.rawValue)
            + AudienceMetric.allCases.map(\.rawValue) + SeriesBucket.Granularity.allCases.map(\.rawValue)
            + ReportUnit.allCases.map(\.rawValue) + AppEnvironment.allCases.map(\.rawValue)
            + AnswerFormat.allCases.map(\.rawValue) + ReportParameters.Compare.allCases.map(\.rawValue)
            + ["metric", "granularity", "split", "dimension", "cohort", "periods", "include_archived"]
        for name in names { #expect(text.contains("`\(name)`") || text.contains("`\(name)="), "\(name)") }
        #expect(text.contains("\(ReportParameters.daysMax) days"))
        #expect(text.contains("\(TimeseriesAPI.hourlyDaysMax) days at most"))
        #expect(text.contains("\(RetentionAPI.dayPeriods) days or \(RetentionAPI.weekPeriods) weeks"))
    }

    @Test func everyOperationOfTheDocumentIsThere() throws {
        let text = try Self.text()
        let document = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes)) as? [String: Any]
        let paths = try #require(document?["paths"] as? [String: Any])
        for path in paths.keys {
            let command = path.replacing("{app_id}", with: "$APP_ID")
            #expect(text.contains("$READ_URL\(command)") || text.contains(" \(path)`"), "\(path)")
        }
    }
}
