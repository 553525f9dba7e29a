import Contracts
import Foundation
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ConsoleCore

/// The document and the code say the same.
@Suite struct ConsoleOpenAPITests {
    private let document: JSONNode

    init() throws {
        document = try JSONNode(ConsoleOpenAPI.bytes)
    }

    private var operations: [(path: String, method: String, node: JSONNode)] {
        document["paths"].names.flatMap { path in
            document["paths"][path].names.map { (path, $0, document["paths"][path][$0]) }
        }
    }

    private func schema(_ name: String) -> JSONNode { document["components"]["schemas"][name] }

    @Test func isOfThisVersion() {
        #expect(document["openapi"].text == "3.1.0")
        #expect(document["info"]["version"].text == BuildInfo.version)
    }

    @Test func pathsAndMethodsAreThoseOfTheCode() {
        let written = operations.map { "\($0.method.uppercased()) \($0.path)" }
        let coded = ControlPlaneAPI.operations.map { "\($0.method) /console/v1/\($0.path)" }
        #expect(Set(coded).count == coded.count)
        #expect(Set(written) == Set(coded))
    }

    @Test func queryParametersAreThoseOfTheCode() {
        for operation in ControlPlaneAPI.operations {
            let node = document["paths"]["/console/v1/\(operation.path)"][operation.method.lowercased()]
            let names = node["parameters"].list.filter { $0["in"].text == "query" }
                .compactMap { $0["name"].text }
            #expect(Set(names) == operation.query, "\(operation.path)")
        }
    }

    @Test func namesOfListedValuesAreThoseOfTheCode() {
        for (name, values) in [
            ("Platform", Platform.allCases.map(\.rawValue)),
            ("Scope", APIKeyScope.allCases.map(\.rawValue)),
            ("ChangeKind", RunningAppChange.Kind.allCases.map(\.rawValue)),
            ("Environment", AppEnvironment.allCases.map(\.rawValue)),
            ("Action", AuditAction.allCases.map(\.rawValue)),
            ("AppStatus", ["active", "archived"]),
        ] {
            #expect(schema(name)["enum"].texts == values, "\(name)")
        }
    }

    @Test func everyErrorCodeIsNamed() {
        let codes = schema("Error")["properties"]["error"]["properties"]["code"]["enum"].texts
        #expect(codes == ConsoleErrorCode.allCases.map(\.rawValue))
    }

    @Test func everyOperationNamesItsRefusals() {
        for (path, method, node) in operations where !path.hasSuffix("openapi.json") {
            let statuses = node["responses"].names
            #expect(statuses.contains("503") || path.hasSuffix("facts"), "\(method) \(path)")
            let isOpen = ControlPlaneAPI.operations.contains { operation in
                guard case .open = operation.work else { return false }
                return "/console/v1/\(operation.path)" == path && operation.method.lowercased() == method
            }
            #expect(statuses.contains("401") == !isOpen || path.hasSuffix("/session"), "\(method) \(path)")
            #expect(statuses.contains("403") == (method != "get"), "\(method) \(path)")
            #expect(node["operationId"].text != nil && node["summary"].text != nil)
        }
    }

    @Test func everyReferenceLeadsSomewhere() throws {
        let text = String(decoding: ConsoleOpenAPI.bytes, as: UTF8.self)
        let references = Set(text.matches(of: /"\$ref": ?"#\/([^"]+)"/).map { String($0.output.1) })
        #expect(references.count > 20)
        for reference in references {
            let found = reference.split(separator: "/").reduce(document) { $0[String($1)] }
            #expect(found.isThere, "\(reference)")
        }
        for kind in ["schemas", "parameters", "headers", "responses"] {
            for name in document["components"][kind].names {
                #expect(references.contains("components/\(kind)/\(name)"), "\(name)")
            }
        }
    }

    @Test func isServedToAnybody() async throws {
        try await withConsoleServer(unreachableDatabaseURL) { port, _, _, _, _, _, _ in
            let answer = try await HTTPClient.send("GET", "/console/v1/openapi.json", port: port)
            #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
            #expect(answer.json["openapi"].text == "3.1.0")
        }
    }

    /// The page for people has a line for every operation and every code.
    @Test func pageNamesEveryOperationAndEveryCode() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Services/Console/API.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for operation in ControlPlaneAPI.operations {
            #expect(
                text.contains("`\(operation.method) \(operation.path)`"),
                "\(operation.method) \(operation.path)"
            )
        }
        let rows = text.split(separator: "\n")
        for code in ConsoleErrorCode.allCases {
            #expect(rows.count { $0.hasPrefix("| \(code.status) | `\(code.rawValue)` |") } == 1, "\(code)")
        }
        for action in AuditAction.allCases { #expect(text.contains("`\(action.rawValue)`"), "\(action)") }
    }
}
