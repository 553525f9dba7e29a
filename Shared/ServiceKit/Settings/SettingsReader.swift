/// A service's settings, read once at start from the environment.
///
/// Reading collects every problem before giving up, so an operator fixes them in one round. A reader whose
/// value is wrong answers the default (or an empty value) and goes on; `finish` throws. Every read adds a
/// row to `catalogue`. An empty value counts as not set: compose files write `NAME=${NAME:-}`.
public struct SettingsReader: Sendable {
    private let environment: [String: String]
    public private(set) var catalogue: [Setting] = []
    public private(set) var problems: [SettingProblem] = []
    private var known: Set<String> = []

    public init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// Adds a problem that concerns settings already read, such as two that contradict each other.
    public mutating func problem(_ setting: String, _ reason: String) {
        problems.append(SettingProblem(setting, reason))
    }

    /// Call last: throws if anything was missing, malformed or, with a prefix, misspelt.
    ///
    /// Every variable that begins with `prefix` must be a setting that was read, or one of `ignoring`.
    public func finish(prefix: String? = nil, ignoring: Set<String> = []) throws(SettingsError) {
        var all = problems
        if let prefix { all += unknown(prefix: prefix, ignoring: ignoring) }
        guard all.isEmpty else { throw SettingsError(problems: all) }
    }

    private func unknown(prefix: String, ignoring: Set<String>) -> [SettingProblem] {
        environment.keys.sorted().compactMap { name in
            guard name.hasPrefix(prefix), !known.contains(name), !ignoring.contains(name) else { return nil }
            guard !isServiceLink(name, value: environment[name] ?? "") else { return nil }
            let near = closest(to: name, among: known.sorted())
            return SettingProblem(name, "is not a setting" + (near.map { "; did you mean \($0)?" } ?? ""))
        }
    }

    /// Notes the setting for `--help` and answers its text, or nil when it is not set.
    mutating func text(_ setting: Setting) -> String? {
        if known.insert(setting.name).inserted { catalogue.append(setting) }
        guard let value = environment[setting.name], !value.isEmpty else { return nil }
        return value
    }

    /// Like `text`, and reads `NAME_FILE` when that is set instead.
    mutating func secretText(_ setting: Setting) -> String? {
        let direct = text(setting)
        let fileName = setting.name + "_FILE"
        known.insert(fileName)
        guard let path = environment[fileName], !path.isEmpty else { return direct }
        guard direct == nil else {
            problem(setting.name, "and \(fileName) are both set; keep one")
            return direct
        }
        do throws(FileError) {
            let bytes = try readFile(path, bytesMax: 65_536)
            // Editors and `echo` end a file with a newline that is not part of the secret.
            let end = bytes.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            let value = String(decoding: bytes.prefix((end ?? -1) + 1), as: UTF8.self)
            if value.isEmpty { problem(fileName, "names an empty file") }
            return value
        } catch {
            problem(fileName, "is of no use: \(error)")
            return ""
        }
    }
}

/// True for variables that Kubernetes adds on its own for a Service of the same name as ours.
///
/// A Service called `ingest` puts INGEST_SERVICE_HOST and INGEST_PORT_8080_TCP into every pod near it;
/// refusing those would keep our service from starting in a place where nobody misspelt anything.
private func isServiceLink(_ name: String, value: String) -> Bool {
    name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT")
        || name.contains("_TCP") && name.contains("_PORT_")
        || value.hasPrefix("tcp://") || value.hasPrefix("udp://")
}
