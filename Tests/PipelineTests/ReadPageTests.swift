import Foundation
import Testing

extension PipelineTests {
    /// Goal: every command of the Read API's page does what the page says.
    @Suite(.stack(.ingest, .aggregator, .reader), .serialized) struct ReadPageTests {
        @Test func everyExampleGivesItsAnswer() async throws {
            let stack = try Stack.shared()
            let world = try await PageWorld(stack)
            let examples = try Page.examples()
            try #require(examples.count > 10)
            for example in examples {
                let result = try await world.run(example.command, stack)
                #expect(result.exitCode == 0, "\(example.command)\n\(result.text)")
                guard let answer = example.answer else {
                    #expect(!result.text.contains("\"error\":{"), "\(example.command)\n\(result.text)")
                    continue
                }
                let given = result.text.replacing(world.app.id, with: PageWorld.pageID)
                if example.isJSON {
                    let (wanted, found) = (
                        try JSON(parsing: Array(answer.utf8)), try JSON(parsing: Array(given.utf8))
                    )
                    #expect(found.names == wanted.names, "\(example.command)\n\(given)")
                    #expect(found.withoutMoments == wanted.withoutMoments, "\(example.command)\n\(given)")
                } else {
                    #expect(given.replacing("\r\n", with: "\n") == answer, "\(example.command)")
                }
            }
        }

        @Test func everyErrorIsProvokedByItsCommand() async throws {
            let stack = try Stack.shared()
            let world = try await PageWorld(stack)
            let errors = try Page.errors()
            try #require(errors.count > 5)
            for error in errors {
                let result = try await world.run(error.command, stack)
                let json = try JSON(parsing: result.output)
                #expect(json["error"]["code"].string == error.code, "\(error.command)")
            }
        }
    }
}

extension JSON {
    /// Whatever depends on when the page is tried.
    fileprivate var withoutMoments: JSON { without("as_of", "data_through", "created_at") }
}

/// Services/Reader/API.md, taken apart.
private enum Page {
    struct Example {
        var command: String
        /// What follows it directly.
        var answer: String?
        var isJSON = false
    }

    static func examples() throws -> [Example] {
        var examples: [Example] = []
        var language: Substring?
        var block = ""
        var isAnswerNext = false
        for line in try text().split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let ended = language {
                    if ended == "bash" {
                        examples.append(Example(command: block))
                    } else if isAnswerNext {
                        examples[examples.count - 1].answer = block
                        examples[examples.count - 1].isJSON = ended == "json"
                    }
                    isAnswerNext = ended == "bash"
                    language = nil
                } else {
                    (language, block) = (line.dropFirst(3), "")
                }
            } else if language != nil {
                block += line + "\n"
            } else if !line.isEmpty {
                isAnswerNext = false
            }
        }
        return examples
    }

    /// The rows of the table of errors that have a command.
    static func errors() throws -> [(code: String, command: String)] {
        try text().split(separator: "\n").compactMap { line in
            let cells = line.split(separator: " | ").map { $0.trimmingCharacters(in: ["|", " "]) }
            guard cells.count == 5, let command = cells.last, command.hasPrefix("`curl") else { return nil }
            return (cells[1].filter { $0 != "`" }, String(command.dropFirst().dropLast()))
        }
    }

    private static func text() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Services/Reader/API.md"
        )
        return try String(contentsOf: file, encoding: .utf8)
    }
}

/// The app the page's answers are about.
private struct PageWorld: Sendable {
    static let pageID = "0199d5f0-0000-7000-8000-000000000002"

    /// Day of October 2025, hour in UTC, person, signed in, platform, version, device, seconds.
    private static let sessions: [(Int, Int, Int, Bool, String, String?, String?, Int)] = [
        (1, 8, 1, true, "ios", "3.4.0", "iPhone14,5", 60), (2, 9, 2, true, "ios", "3.4.0", "iPhone15,2", 45),
        (3, 19, 1, true, "web", "3.4.0", nil, 30), (6, 7, 1, true, "ios", "3.4.0", "iPhone14,5", 90),
        (6, 10, 3, false, "web", "3.5.0", nil, 120), (7, 8, 2, true, "ios", "3.5.0", "iPhone15,2", 75),
        (7, 12, 4, true, "ios", "3.5.0", "iPhone14,5", 200), (7, 20, 3, false, "web", "3.5.0", nil, 15),
        (8, 6, 5, false, "ios", nil, "=1+1", 10), (8, 9, 4, true, "ios", "3.5.0", "iPhone14,5", 61),
        (9, 9, 1, true, "ios", "3.5.0", "iPhone14,5", 33), (10, 9, 5, false, "ios", nil, "=1+1", 20),
        (11, 22, 2, true, "ios", "3.5.0", "iPhone15,2", 400), (12, 15, 3, false, "web", "3.5.0", nil, 80),
    ]

    let app: TestApp
    private let keys: [String]

    init(_ stack: Stack) async throws {
        let app = try await stack.createApp(platforms: ["ios", "web"], timezone: "Europe/Berlin")
        self.app = app
        var keys: [String] = []
        // A key may only ask ten times a second.
        for _ in 0..<10 { keys.append(try await stack.createKey(scopes: ["read", "delete"], app: app)) }
        self.keys = keys
        let path = stack.directory + "/page.ndjson"
        try Data(Self.history().joined(separator: [0x0A])).write(to: URL(filePath: path))
        try await stack.fgctl("import", path, "--app", app.id).requireSuccess()
        try await stack.closeDays()
    }

    func run(_ command: String, _ stack: Stack) async throws -> ShellResult {
        let shell = try Shell(
            directory: stack.directory + "/page-\(app.id)",
            settings: [
                "READ_URL": "http://127.0.0.1:\(try await stack.running(.reader).servicePort ?? 0)",
                "APP_ID": app.id, "AM_SK": keys.randomElement() ?? "",
            ]
        )
        return try await shell.run(command)
    }

    private static func history() -> [[UInt8]] {
        var make = EventMaker(seed: 72)
        let installs = (0..<6).map { _ in make.uuid() }
        // Midnight of 1 October 2025 in UTC.
        let monthMs: Int64 = 1_759_276_800_000
        return sessions.map { day, hour, person, isSignedIn, platform, version, device, seconds in
            let startMs = monthMs + Int64(day - 1) * 86_400_000 + Int64(hour) * 3_600_000
            var context: [String: JSON] = ["platform": .text(platform)]
            context["app_version"] = version.map { .text($0) }
            context["device_model"] = device.map { .text($0) }
            let events = make.session(
                at: startMs,
                install: installs[person],
                user: isSignedIn ? "acct_\(person)" : nil,
                durationMs: Int64(seconds) * 1000
            )
            return TestBatch(events: events, sentAtMs: startMs + 3_600_000, context: context).bytes
        }
    }
}
