/// One row of a service's catalogue of settings: what `--help` shows and `deploy/*.env` repeats.
public struct Setting: Sendable, Equatable {
    public let name: String
    /// The default as it would be written in the environment; nil when there is none.
    public let fallback: String?
    public let isRequired: Bool
    public let isSecret: Bool
    /// What values are allowed, in words.
    public let values: String
    public let help: String

    /// The row as `--help` prints it.
    var helpText: String {
        let note = isRequired ? "  (required)" : ""
        let alternative = isSecret ? " Or \(name)_FILE: a file that holds it." : ""
        let sentence = help.isEmpty ? "" : help + (help.hasSuffix(".") ? " " : ". ")
        return "  \(name)=\(fallback ?? "")\(note)\n      \(sentence)\(values)\(alternative)\n"
    }
}

/// One thing wrong with the settings.
public struct SettingProblem: Sendable, Equatable, CustomStringConvertible {
    public let setting: String
    public let reason: String

    public init(_ setting: String, _ reason: String) {
        self.setting = setting
        self.reason = reason
    }

    public var description: String { "\(setting) \(reason)" }
}

/// Everything wrong with the settings, so that an operator fixes it in one round.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    public let problems: [SettingProblem]

    public init(problems: [SettingProblem]) { self.problems = problems }

    public var description: String { problems.map(\.description).joined(separator: "; ") }
}
