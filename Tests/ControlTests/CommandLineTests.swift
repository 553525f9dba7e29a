import ServiceKit
import Testing

@testable import ControlCore

/// What needs no server: help, exit codes, and arguments that are refused before anything is connected.
@Suite struct CommandLineTests {
    private static let titles = Commands.all.map(\.title)

    @Test func theCommandsAreThese() {
        #expect(
            Self.titles == [
                "migrate", "topics create", "app create", "app list", "app timezone", "app merge",
                "app delete",
                "key issue", "key revoke", "key list", "api-key create", "api-key list", "api-key revoke",
                "close-days", "erasure create", "erasure list", "erasure show", "erasure retry",
                "erasure verify", "import", "lag", "replay", "set-aside list", "set-aside show",
                "set-aside redrive", "set-aside drop", "retention",
            ]
        )
    }

    /// Commands are found by their first words, so none may begin with another one.
    @Test func noCommandBeginsWithAnother() {
        for one in Commands.all {
            for other in Commands.all where other.title != one.title {
                #expect(!other.words.starts(with: one.words))
            }
        }
    }

    @Test(arguments: [[], ["--help"], ["-h"], ["help"], ["--json"]]) func theOverviewIsThePlainHelp(
        arguments: [String]
    )
        async
    {
        let run = await fgctl(arguments)

        #expect(run.exitCode == 0)
        #expect(run.output.hasPrefix("fgctl operates a Foreground installation.\n"))
        #expect(run.complaints.isEmpty)
    }

    @Test(arguments: titles) func theOverviewNamesEveryCommand(title: String) async {
        #expect(await fgctl(["--help"]).output.contains("  fgctl \(title) "))
    }

    @Test(arguments: ["DATABASE_URL", "KAFKA_BROKERS", "KAFKA_EVENTS_TOPIC", "KAFKA_REJECTIONS_TOPIC"])
    func theOverviewNamesTheSettings(name: String) async {
        #expect(await fgctl(["--help"]).output.contains(name))
    }

    @Test(arguments: titles, [["--help"], ["-h"]]) func everyCommandHasHelp(title: String, question: [String])
        async
    {
        let run = await fgctl(title.split(separator: " ").map(String.init) + question)

        #expect(run.exitCode == 0)
        #expect(run.output.contains("Usage: fgctl \(title)"))
    }

    @Test(arguments: titles) func helpMayComeFirst(title: String) async {
        let words = title.split(separator: " ").map(String.init)

        #expect(await fgctl(["help"] + words).output == fgctl(words + ["--help"]).output)
    }

    @Test(arguments: Commands.all.filter { !$0.options.isEmpty }.map(\.title))
    func helpNamesEveryOption(title: String) async throws {
        let command = try #require(Commands.all.first { $0.title == title })

        let text = await fgctl(command.words + ["--help"]).output

        for option in command.options { #expect(text.contains("\n  --\(option.name)")) }
    }

    @Test func helpOfACommandIsLikeThis() async {
        let run = await fgctl(["api-key", "create", "--help"])

        #expect(
            run.output == """
                Create a secret key of the Read API; it is shown once

                Usage: fgctl api-key create --scope SCOPE… [--app APP_ID] [--json]

                Options:
                  --scope SCOPE  read or delete; repeat for both
                  --app APP_ID   bind the key to one app

                """
        )
    }

    @Test func helpOfAGroupListsItsCommands() async {
        let run = await fgctl(["api-key", "--help"])

        #expect(run.exitCode == 0)
        #expect(run.output.contains("fgctl api-key revoke"))
        #expect(!run.output.contains("fgctl app create"))
    }

    @Test func helpWinsOverBadArguments() async {
        let run = await fgctl(["app", "create", "--nonsense", "--help"])

        #expect(run.exitCode == 0)
    }

    @Test(arguments: [
        ["app"], ["apps", "list"], ["app", "rename"], ["App", "list"], ["frobnicate", "--help"],
    ])
    func anUnknownCommandIs64(arguments: [String]) async {
        let run = await fgctl(arguments)

        #expect(run.exitCode == 64)
        #expect(run.output.isEmpty)
        #expect(run.complaints.count == 1)
    }

    @Test func theComplaintNamesTheWords() async {
        let run = await fgctl(["app", "rename", "--name", "x"])

        #expect(run.complaints == ["fgctl: no command 'app rename'; fgctl --help lists them"])
    }

    @Test func theVersionIsTheBuilds() async {
        let run = await fgctl(["--version"])

        #expect(run.exitCode == 0)
        #expect(run.output == "fgctl \(BuildInfo.version)\n")
    }

    @Test(arguments: ["migrate", "app list", "api-key list", "close-days"]) func aMissingDatabaseIs78(
        title: String
    )
        async
    {
        let run = await fgctl(title.split(separator: " ").map(String.init))

        #expect(run.exitCode == 78)
        #expect(run.complaints == ["fgctl: DATABASE_URL is not set"])
    }

    @Test func anEmptySettingIsNotSet() async {
        #expect(await fgctl(["app", "list"], environment: ["DATABASE_URL": ""]).exitCode == 78)
    }

    @Test func missingBrokersAre78() async {
        let run = await fgctl(["topics", "create"])

        #expect(run.exitCode == 78)
        #expect(run.complaints == ["fgctl: KAFKA_BROKERS is not set"])
    }

    @Test func aDatabaseThatIsAwayIs1() async {
        let run = await fgctl("app", "list", database: "postgresql://nobody@127.0.0.1:1/none")

        #expect(run.exitCode == 1)
        #expect(run.output.isEmpty)
        #expect(run.complaints.count == 1)
    }
}

/// Arguments that are refused before anything is connected: none of these has a database.
@Suite struct RefusedArgumentTests {
    static let valid = ["--name", "Shop", "--platform", "ios", "--timezone", "Europe/Berlin"]

    /// `valid` with one option's value replaced.
    static func app(_ option: String, _ value: String) -> [String] {
        var arguments = ["app", "create"] + valid
        if let index = arguments.firstIndex(of: option) { arguments[index + 1] = value }
        return arguments
    }

    static let refused = [
        app("--name", ""), app("--name", String(repeating: "n", count: 201)), app("--platform", "tvos"),
        app("--platform", "iOS"), app("--platform", ""), app("--timezone", "UTC+3"), app("--timezone", "IST"),
        app("--timezone", ""), app("--timezone", "../etc/passwd"), app("--timezone", "posixrules"),
        app("--timezone", "Mars/Base"), ["app", "create"] + valid + ["--platform", "ios"],
        ["app", "create", "--name", "Shop"], ["app", "create"] + valid + ["extra"], ["app", "list", "extra"],
        ["key", "issue"], ["key", "issue", "--app", "1"], ["key", "revoke"], ["key", "list", "--app", "x"],
        ["key", "issue", "--app", "0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0", "--platform", "tvos"],
        ["api-key", "create"], ["api-key", "create", "--scope", "write"],
        ["api-key", "create", "--scope", "Read"],
        ["api-key", "create", "--scope", "read,delete"],
        ["api-key", "create", "--scope", "read", "--app", "1"],
        ["api-key", "revoke"], ["close-days", "--timeout", "0"], ["topics", "create", "--partitions", "0"],
        ["topics", "create", "--replication", "x"], ["import", "file"], ["import", "--app", "1", "file"],
        ["migrate", "--force"], ["lag", "extra"],
        ["replay"], ["replay", "--from", "yesterday"], ["replay", "--from", "-1"],
        ["replay", "--from", "2026-02-30"], ["replay", "--from", "5", "--to", "5"],
        ["replay", "--from", "2026-03-02", "--to", "2026-03-01"],
        ["replay", "--from", "0", "--partition", "x"],
        ["replay", "--from", "0", "--topic", "foreground.rejections"],
        ["set-aside", "list", "--limit", "0"], ["set-aside", "list", "--reason", "bad"],
        ["set-aside", "show"], ["set-aside", "show", "7"], ["set-aside", "show", "0:-1"],
        ["set-aside", "show", "0:1", "--bytes", "0"], ["set-aside", "redrive"],
        ["set-aside", "redrive", "0:1", "--all"], ["set-aside", "redrive", "0:1", "--reason", "not_json"],
        ["set-aside", "drop"], ["set-aside", "drop", "x:y"], ["set-aside", "drop", "--reason", "not_json"],
    ]

    @Test(arguments: refused) func isExitCode64(arguments: [String]) async {
        #expect(await fgctl(arguments).exitCode == 64)
    }

    @Test(arguments: refused) func saysWhatIsWrongAndWhereTheHelpIs(arguments: [String]) async {
        let run = await fgctl(arguments)

        #expect(run.output.isEmpty)
        #expect(run.complaints.count == 2)
        #expect(run.complaints.last?.hasSuffix("--help") == true)
    }

    /// The commands above get as far as the database when nothing is wrong with them.
    @Test(arguments: [
        app("--name", String(repeating: "ж", count: 200)), app("--timezone", "Asia/Calcutta"),
        app("--timezone", "US/Pacific"), app("--name", "help"),
    ])
    func aValidOneWantsTheDatabase(arguments: [String]) async {
        #expect(await fgctl(arguments).exitCode == 78)
    }
}
