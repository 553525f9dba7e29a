/// The arguments of one command, checked against what it takes.
struct ParsedArguments: Sendable {
    private(set) var positionals: [String] = []
    private var values: [String: [String]] = [:]

    /// - Parameter arguments: what follows the command's words, `--json` and `--help` removed.
    init(_ arguments: [String], for command: CommandSpec) throws(CommandFailure) {
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            guard argument.hasPrefix("--"), argument != "--" else {
                positionals.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = String(parts[0])
            guard let option = command.options.first(where: { $0.name == name }) else {
                throw .usage("\(command.title) has no option --\(name)")
            }
            try take(option, inline: parts.count > 1 ? String(parts[1]) : nil, arguments, &index)
        }
        try check(command)
    }

    private mutating func take(
        _ option: OptionSpec,
        inline: String?,
        _ arguments: [String],
        _ index: inout Int
    ) throws(CommandFailure) {
        guard let placeholder = option.value else {
            guard inline == nil else { throw .usage("--\(option.name) takes no value") }
            values[option.name] = ["true"]
            return
        }
        let value: String
        if let inline {
            value = inline
        } else if index < arguments.count {
            value = arguments[index]
            index += 1
        } else {
            throw .usage("--\(option.name) needs a value: \(placeholder)")
        }
        guard option.isRepeatable || values[option.name] == nil else {
            throw .usage("--\(option.name) may be given once")
        }
        values[option.name, default: []].append(value)
    }

    private func check(_ command: CommandSpec) throws(CommandFailure) {
        for option in command.options where option.isRequired && values[option.name] == nil {
            throw .usage("\(command.title) needs --\(option.name) \(option.value ?? "")")
        }
        let required = command.positionals.count
        guard (required...required + command.optionalPositionals.count).contains(positionals.count) else {
            let names = command.positionals + command.optionalPositionals.map { "[\($0)]" }
            let wanted = names.isEmpty ? "no arguments" : names.joined(separator: " ")
            throw .usage("\(command.title) takes \(wanted)")
        }
    }

    func all(_ name: String) -> [String] { values[name] ?? [] }
    func first(_ name: String) -> String? { values[name]?.first }
    func has(_ name: String) -> Bool { values[name] != nil }

    func integer(_ name: String, default fallback: Int, in range: ClosedRange<Int>) throws(CommandFailure)
        -> Int
    {
        guard let text = first(name) else { return fallback }
        guard let value = Int(text), range.contains(value) else {
            throw .usage("--\(name) must be a whole number in \(range), not '\(text)'")
        }
        return value
    }
}
