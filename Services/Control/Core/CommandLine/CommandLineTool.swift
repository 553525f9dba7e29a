import Foundation
import Kafka
import Postgres
import ServiceKit

/// Runs one command line; what `fgctl` is.
public struct CommandLineTool: Sendable {
    private let settings: ControlSettings
    private let write: @Sendable (String) -> Void
    private let complain: @Sendable (String) -> Void

    /// - Parameters:
    ///   - write: takes text for standard output.
    ///   - complain: takes lines for standard error.
    public init(
        environment: [String: String],
        write: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) {
        settings = ControlSettings(environment: environment)
        self.write = write
        self.complain = complain
    }

    /// Returns the exit code: 0 done, 1 failed, 64 not understood, 78 a setting is missing.
    public func run(_ arguments: [String]) async -> Int32 {
        let isJSON = arguments.contains("--json")
        let wantsHelp = arguments.contains("--help") || arguments.contains("-h") || arguments.first == "help"
        // Only in front is `help` a question: further on it may be somebody's name.
        let rest = arguments.dropFirst(arguments.first == "help" ? 1 : 0)
            .filter { $0 != "--json" && $0 != "--help" && $0 != "-h" }
        if arguments.contains("--version") {
            write("fgctl \(BuildInfo.version)\n")
            return 0
        }
        guard let command = find(rest) else { return unknown(rest, wantsHelp: wantsHelp) }
        if wantsHelp {
            write(HelpText.command(command))
            return 0
        }
        return await run(command, Array(rest.dropFirst(command.words.count)), isJSON: isJSON)
    }

    private func find(_ arguments: [String]) -> CommandSpec? {
        Commands.all.first { arguments.starts(with: $0.words) }
    }

    private func unknown(_ arguments: [String], wantsHelp: Bool) -> Int32 {
        let group = Commands.all.filter { $0.words.starts(with: arguments) }
        if arguments.isEmpty || (wantsHelp && !group.isEmpty) {
            write(HelpText.overview(arguments.isEmpty ? Commands.all : group))
            return wantsHelp || arguments.isEmpty ? 0 : ExitCode.usage
        }
        let words = arguments.prefix { !$0.hasPrefix("-") }.joined(separator: " ")
        complain("fgctl: no command '\(words)'; fgctl --help lists them")
        return ExitCode.usage
    }

    private func run(_ command: CommandSpec, _ arguments: [String], isJSON: Bool) async -> Int32 {
        let complain = complain
        do {
            let parsed = try ParsedArguments(arguments, for: command)
            let context = CommandContext(settings: settings, isJSON: isJSON, progress: complain)
            let result = try await command.run(parsed, context)
            write(isJSON ? String(decoding: result.json, as: UTF8.self) + "\n" : result.text)
            return result.exitCode
        } catch let failure as CommandFailure {
            complain("fgctl: \(failure)")
            if failure.exitCode == ExitCode.usage { complain("fgctl: see fgctl \(command.title) --help") }
            return failure.exitCode
        } catch let error as PostgresError {
            complain("fgctl: \(error)")
            return ExitCode.failed
        } catch {
            complain("fgctl: \(error)")
            return ExitCode.failed
        }
    }
}
