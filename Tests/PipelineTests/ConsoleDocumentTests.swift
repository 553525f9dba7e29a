import Foundation
import Testing

extension PipelineTests {
    /// Goal: the control plane does what its document says, whatever is asked by somebody who is signed in.
    ///
    /// Schemathesis makes valid and invalid requests from the document; see OpenAPI/check.py and console_hooks.py.
    @Suite(.enabled(if: TestSetting.python != nil, "set TEST_PYTHON")) struct ConsoleDocumentTests {
        private static let examplesMax = 15
        private static let seed = 20_261_130
        private static let admin = [
            "ADMIN_EMAIL": "admin@example.com", "ADMIN_PASSWORD": "long enough for us",
        ]

        @Test func consoleDoesWhatItsDocumentSays() async throws {
            try await Stack.run(createsTopics: false) { stack in
                let console = try await stack.start(
                    .console,
                    Self.admin.merging(["CONSOLE_TRUSTED_PROXIES": "127.0.0.0/8"]) { $1 }
                )
                let url = "http://127.0.0.1:\(console.servicePort ?? 0)"
                try await wait(until: "the first account is there") {
                    console.process.logText.contains("first_account_made")
                }
                let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
                    path: "OpenAPI/check.py"
                )
                let environment = [
                    "PATH": "/usr/bin:/bin", "HOME": stack.directory, "TMPDIR": stack.directory,
                    "DOCUMENT": "/console/v1/openapi.json", "HOOKS": "console_hooks", "CONSOLE": url,
                ]
                let check = try ServiceProcess(
                    "schemathesis",
                    program: try #require(TestSetting.python),
                    arguments: [script.path, url, stack.directory, "\(Self.examplesMax)", "\(Self.seed)"],
                    environment: environment.merging(Self.admin) { $1 },
                    logPath: stack.directory + "/schemathesis.log"
                )
                let code = try await check.exitCode(seconds: 600)

                #expect(code == 0, "\(check.logText)")
                #expect(check.logText.contains("No issues found"), "\(check.logText)")
                let answers = try String(contentsOfFile: stack.directory + "/answers.txt", encoding: .utf8)
                let seen = Dictionary(grouping: answers.split(separator: "\n")) { $0.prefix { $0 != " " } }
                #expect(seen.count == 32)
                for (operation, lines) in seen {
                    // Each was also done, not only refused.
                    #expect(lines.contains { $0.contains(" 20") }, "\(operation)")
                }
            }
        }
    }
}
