/// What a service was asked on its command line instead of to run.
enum CommandLineQuestion: Equatable {
    case none
    case help
    case version
    case unknown(String)

    /// `arguments` without the program's name.
    init(_ arguments: some Sequence<String>) {
        var question = Self.none
        for argument in arguments {
            switch argument {
            case "--help", "-h": question = .help
            case "--version": question = question == .none ? .version : question
            default:
                self = .unknown(argument)
                return
            }
        }
        self = question
    }
}

/// What `--help` prints: every setting with its default and meaning.
func helpText(service: String, catalogue: [Setting]) -> String {
    let rows = catalogue.sorted { $0.name < $1.name }.map(\.helpText).joined(separator: "\n")
    return """
        \(service) \(BuildInfo.version)

        Usage: \(service) [--help | --version]

        Settings are environment variables. An empty value counts as not set.

        \(rows)
        """
}

/// What `--version` prints.
func versionText(service: String) -> String { "\(service) \(BuildInfo.version) (\(BuildInfo.build))\n" }
