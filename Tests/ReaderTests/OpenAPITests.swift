import Contracts
import Foundation
import ServiceKit
import Testing

@testable import ReaderCore

/// The document and the code say the same.
@Suite struct OpenAPITests {
    private let document: Node

    init() throws {
        document = Node(try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes)))
    }

    /// Reads any JSON by path; a reference is followed.
    struct Node {
        let value: Any?
        private let root: Any?

        init(_ value: Any?, root: Any? = nil) {
            self.value = value
            self.root = root ?? value
        }

        subscript(_ name: String) -> Node {
            let found = Node((value as? [String: Any])?[name], root: root)
            guard let reference = (found.value as? [String: Any])?["$ref"] as? String else { return found }
            return reference.split(separator: "/").dropFirst().reduce(Node(root)) { $0[String($1)] }
        }

        var names: [String] { ((value as? [String: Any])?.keys.sorted()) ?? [] }
        var list: [Node] {
            (value as? [Any] ?? []).map { Node(["it": $0], root: root)["it"] }
        }
        var texts: [String] { value as? [String] ?? [] }
        var text: String? { value as? String }
        var number: Int? { value as? Int }
        var truth: Bool? { value as? Bool }
    }

    private func schema(_ name: String) -> Node { document["components"]["schemas"][name] }

    private func parameter(_ name: String, of operation: Node) -> Node {
        operation["parameters"].list.first { $0["name"].text == name } ?? Node(nil)
    }

    private func operation(_ path: String) -> Node {
        document["paths"]["/v1/apps/{app_id}/\(path)"]["get"]
    }

    private var operations: [(path: String, method: String, node: Node)] {
        document["paths"].names.flatMap { path in
            document["paths"][path].names.map { (path, $0, document["paths"][path][$0]) }
        }
    }

    @Test func isOfThisVersion() {
        #expect(document["openapi"].text == "3.1.0")
        #expect(document["info"]["version"].text == BuildInfo.version)
    }

    @Test func namesOfListedValuesAreThoseOfTheCode() {
        for (name, values) in [
            ("Platform", Platform.allCases.map(\.rawValue)),
            ("Environment", AppEnvironment.allCases.map(\.rawValue)),
            ("Unit", ReportUnit.allCases.map(\.rawValue)),
            ("SeriesMetric", AudienceSeries.Metric.allCases.map(\.rawValue)),
            ("Granularity", SeriesBucket.Granularity.allCases.map(\.rawValue)),
            ("Dimension", ReportDimension.allCases.map(\.rawValue)),
            ("AppStatus", AppStatus.allCases.map(\.rawValue)),
            ("CohortLength", Retention.CohortLength.allCases.map(\.rawValue)),
            ("Compare", ReportParameters.Compare.allCases.map(\.rawValue)),
            ("Split", TimeseriesAPI.Split.allCases.map(\.rawValue)),
            ("Format", AnswerFormat.allCases.map(\.rawValue)),
        ] {
            #expect(schema(name)["enum"].texts == values, "\(name)")
        }
    }

    @Test func everyErrorCodeIsNamed() {
        let codes = ReadErrorCode.allCases.map(\.rawValue) + [RouteErrorCode.badRequest.rawValue]
        #expect(schema("Error")["properties"]["error"]["properties"]["code"]["enum"].texts == codes)
    }

    @Test func answersNameTheFiguresOfTheCode() {
        let figures = AudienceMetric.allCases.map(\.rawValue)
        for name in ["Summary", "SummaryCompared", "SummaryDelta"] {
            #expect(Set(figures).isSubset(of: schema(name)["properties"].names), "\(name)")
        }
        for name in ["BreakdownItem", "BreakdownTotal", "BreakdownItemCompared", "BreakdownDelta"] {
            #expect(
                Set(BreakdownAPI.metrics.map(\.rawValue)).isSubset(of: schema(name)["properties"].names),
                "\(name)"
            )
        }
    }

    @Test(arguments: [
        "audience/summary", "audience/timeseries", "audience/rolling-active", "audience/breakdown",
        "retention",
    ])
    func everyReportHasTheCommonParameters(path: String) {
        let names = Set(operation(path)["parameters"].list.compactMap { $0["name"].text })
        let common = ["app_id", "from", "to", "environment", "unit", "compare", "format", "If-None-Match"]
        #expect(names.isSuperset(of: common + ReportFilter.Field.allCases.map(\.rawValue)))
    }

    @Test func limitsAreThoseOfTheCode() {
        let periods = parameter("periods", of: operation("retention"))
        #expect(periods["schema"]["minimum"].number == RetentionAPI.periodsRange.lowerBound)
        #expect(periods["schema"]["maximum"].number == RetentionAPI.periodsRange.upperBound)
        let range = document["components"]["parameters"]["To"]["description"].text ?? ""
        #expect(range.contains("\(ReportParameters.daysMax) days"))
        #expect(
            schema("Granularity")["description"].text?.contains("\(TimeseriesAPI.hourlyDaysMax) days") == true
        )
    }

    /// The names the contract's links have.
    @Test func everyOperationIsThere() {
        let wanted = [
            "listApps", "getApp", "getPortfolio", "getAudienceSummary", "getAudienceTimeseries",
            "getRollingActive",
            "getAudienceBreakdown", "getRetention", "getRealtime", "searchProfiles", "getProfile",
            "getIntegrationHealth",
            "createDeletionRequest", "getDeletionRequest", "getOpenAPI",
        ]
        #expect(Set(operations.compactMap { $0.node["operationId"].text }) == Set(wanted))
        #expect(operations.count == wanted.count)
    }

    @Test func everyOperationNamesItsRefusals() {
        for (path, _, node) in operations where path != OpenAPIDocument.path {
            let statuses = Set(node["responses"].names)
            let refusals = Set(ReadErrorCode.allCases.map { "\($0.status)" })
            #expect(statuses.isSuperset(of: refusals), "\(path)")
            for status in statuses {
                #expect(node["responses"][status]["headers"].names.contains("X-Request-Id"))
            }
            #expect(node["responses"]["401"]["headers"].names.contains("WWW-Authenticate"))
            for status in ["429", "503"] {
                #expect(node["responses"][status]["headers"].names.contains("Retry-After"))
            }
        }
    }

    @Test func everyReferenceLeadsSomewhere() throws {
        let text = String(decoding: OpenAPIDocument.bytes, as: UTF8.self)
        let references = Set(text.matches(of: /"\$ref": ?"#\/([^"]+)"/).map { String($0.output.1) })
        #expect(references.count > 30)
        for reference in references {
            let found = reference.split(separator: "/").reduce(document) { $0[String($1)] }
            #expect(found.value != nil, "\(reference)")
        }
        // And nothing is there that nobody refers to.
        for kind in ["schemas", "parameters", "headers", "responses"] {
            for name in document["components"][kind].names {
                #expect(references.contains("components/\(kind)/\(name)"), "\(name)")
            }
        }
    }
}
