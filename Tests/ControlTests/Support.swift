import ControlCore
import Foundation
import JSON
import Postgres
import Synchronization
import TestSupport
import Testing

/// What one command line did.
struct ToolRun: Sendable {
    let exitCode: Int32
    let output: String
    let complaints: [String]

    /// What `body` finds in the one JSON document of `--json`; nil when the output is none.
    func json<Value>(_ body: (JSONValue) -> Value?) -> Value? {
        try? JSONParser().withDocument(Array(output.utf8), body)
    }

    /// The names of the members of the document, in order.
    var members: [String]? { json { $0.memberNames } }

    /// The same of the first element of one of its lists.
    func membersOfFirst(in list: StaticString) -> [String]? {
        json { $0[list].flatMap { Array($0.elements).first }?.memberNames }
    }
}

extension JSONValue {
    fileprivate var memberNames: [String] { members.map { String(decoding: $0.key, as: UTF8.self) } }
}

/// Runs `fgctl` in this process.
func fgctl(_ arguments: [String], environment: [String: String] = [:]) async -> ToolRun {
    let output = Mutex("")
    let complaints = Mutex<[String]>([])
    let tool = CommandLineTool(
        environment: environment,
        write: { text in output.withLock { $0 += text } },
        complain: { line in complaints.withLock { $0.append(line) } }
    )
    let exitCode = await tool.run(arguments)
    return ToolRun(
        exitCode: exitCode,
        output: output.withLock { $0 },
        complaints: complaints.withLock { $0 }
    )
}

func fgctl(_ arguments: String..., database url: String) async -> ToolRun {
    await fgctl(arguments, environment: environment(url))
}

/// Makes an app and gives its id.
func makeApp(_ url: String, platforms: [String] = ["ios", "web"]) async throws -> String {
    let options = platforms.flatMap { ["--platform", $0] }
    let run = await fgctl(
        ["app", "create", "--name", "Shop", "--timezone", "Europe/Berlin", "--json"] + options,
        environment: environment(url)
    )
    return try #require(run.json { $0["app_id"]?.string })
}

extension Trait where Self == ConditionTrait {
    static var needsDatabase: Self { .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL") }
}

private func environment(_ url: String) -> [String: String] {
    ["DATABASE_URL": url, "ERASURE_HASH_KEY": String(repeating: "k", count: 32)]
}
