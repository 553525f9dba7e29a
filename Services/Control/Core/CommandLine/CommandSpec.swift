/// One `--option` of a command.
struct OptionSpec: Sendable {
    let name: String
    /// What the value is called in the help; nil for a flag.
    let value: String?
    let isRequired: Bool
    let isRepeatable: Bool
    let help: String

    static func value(
        _ name: String,
        _ value: String,
        required: Bool = false,
        repeats: Bool = false,
        _ help: String
    ) -> OptionSpec {
        OptionSpec(name: name, value: value, isRequired: required, isRepeatable: repeats, help: help)
    }

    static func flag(_ name: String, _ help: String) -> OptionSpec {
        OptionSpec(name: name, value: nil, isRequired: false, isRepeatable: false, help: help)
    }
}

/// A command: its words, what it takes, and what it does.
struct CommandSpec: Sendable {
    let words: [String]
    let summary: String
    /// Sentences for `--help`, beyond the summary.
    var details = ""
    var options: [OptionSpec] = []
    /// Names of the positional arguments, all required.
    var positionals: [String] = []
    /// Names of those that may follow them.
    var optionalPositionals: [String] = []
    let run: @Sendable (ParsedArguments, CommandContext) async throws -> CommandResult

    var title: String { words.joined(separator: " ") }
}

/// What a command found, for people and for scripts.
struct CommandResult: Sendable {
    /// Lines for a terminal.
    var text: String
    /// One JSON document.
    var json: [UInt8]
    var exitCode: Int32 = 0
}

/// A failure with a sentence for the operator and an exit code.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    var exitCode: Int32 = 1

    init(_ description: String, exitCode: Int32 = 1) {
        self.description = description
        self.exitCode = exitCode
    }

    /// The command line cannot be understood.
    static func usage(_ text: String) -> CommandFailure { CommandFailure(text, exitCode: 64) }
}
