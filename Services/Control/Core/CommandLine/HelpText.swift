/// The texts of `--help`.
enum HelpText {
    static func overview(_ commands: [CommandSpec]) -> String {
        let width = (commands.map(\.title.count).max() ?? 0) + 2
        let rows = commands.map { "  fgctl " + padded($0.title, to: width) + $0.summary }
        return """
            fgctl operates a Foreground installation.

            Commands:
            \(rows.joined(separator: "\n"))

            Every command takes --json for one JSON document on standard output, and --help.

            \(ControlSettings.help)

            Exit codes: 0 done, 1 failed, 64 not understood, 78 a setting is missing.

            """
    }

    static func command(_ command: CommandSpec) -> String {
        let usage =
            (["fgctl", command.title] + command.positionals + command.optionalPositionals.map { "[\($0)]" }
            + command.options.map(usage) + ["[--json]"])
            .joined(separator: " ")
        var text = "\(command.summary)\n\nUsage: \(usage)\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        guard !command.options.isEmpty else { return text }
        let names = command.options.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
        let width = (names.map(\.count).max() ?? 0) + 2
        text += "\nOptions:\n"
        for (name, option) in zip(names, command.options) {
            text += "  " + padded(name, to: width) + option.help + "\n"
        }
        return text
    }

    private static func usage(_ option: OptionSpec) -> String {
        let body = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
        let repeated = option.isRepeatable ? "…" : ""
        return option.isRequired ? body + repeated : "[\(body)]\(repeated)"
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
