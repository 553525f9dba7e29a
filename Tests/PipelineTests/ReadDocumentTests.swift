import Foundation
import Testing

extension PipelineTests {
    /// Goal: the reader does what its document says, whatever is asked.
    ///
    /// Schemathesis makes valid and invalid requests from the document; see OpenAPI/check.py for what it looks at.
    @Suite(.enabled(if: TestSetting.python != nil, "set TEST_PYTHON")) struct ReadDocumentTests {
        private static let examplesMax = 30
        private static let seed = 20_261_014

        @Test func readerDoesWhatItsDocumentSays() async throws {
            try await Stack.run([.ingest, .aggregator, .reader]) { stack in
                let filled = try await FilledApp(stack, seed: 71)
                var keys: [String] = []
                for _ in 0..<12 { keys.append(try await stack.createKey(scopes: ["read", "delete"])) }
                let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
                    path: "OpenAPI/check.py"
                )
                let check = try ServiceProcess(
                    "schemathesis",
                    program: try #require(TestSetting.python),
                    arguments: [
                        script.path, "http://127.0.0.1:\(try await stack.running(.reader).servicePort ?? 0)",
                        stack.directory, "\(Self.examplesMax)", "\(Self.seed)",
                    ],
                    environment: [
                        "PATH": "/usr/bin:/bin", "HOME": stack.directory, "TMPDIR": stack.directory,
                        "APP_ID": filled.app.id, "FIRST_DAY": filled.range.from, "LAST_DAY": filled.range.to,
                        "PERSON_KEYS": filled.people.joined(separator: ","),
                        "READ_KEYS": keys.joined(separator: ","),
                    ],
                    logPath: stack.directory + "/schemathesis.log"
                )
                let code = try await check.exitCode(seconds: 600)

                #expect(code == 0, "\(check.logText)")
                // It must have come to its end, and to the data.
                #expect(check.logText.contains("No issues found"), "\(check.logText)")
                let answers = try String(contentsOfFile: stack.directory + "/answers.txt", encoding: .utf8)
                let seen = Dictionary(grouping: answers.split(separator: "\n")) { $0.prefix { $0 != " " } }
                #expect(seen.count == 15)
                for (operation, lines) in seen {
                    #expect(lines.count { $0.hasSuffix(" 200") || $0.hasSuffix(" 202") } > 0, "\(operation)")
                }
            }
        }
    }
}

/// An app with people in it, whose days are closed.
struct FilledApp: Sendable {
    let app: TestApp
    let range: (from: String, to: String)
    /// Keys of people who may be there.
    let people: [String]

    init(_ stack: Stack, seed: UInt64) async throws {
        app = try await stack.createApp(platforms: ["ios", "web"])
        var world = World(seed: seed)
        range = world.range
        people = world.users.map { "u:" + $0 } + world.installs.map { "i:" + $0 }
        for (number, batch) in world.batches(20).enumerated() {
            let answer = try await stack.post(batch, key: app.key(number % 3 == 0 ? "web" : "ios"))
            try #require(answer.status == 200, "\(answer.text)")
        }
        try await stack.closeDays()
    }
}
