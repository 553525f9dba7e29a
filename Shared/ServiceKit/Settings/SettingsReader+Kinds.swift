extension SettingsReader {
    /// Text that must be set when there is no default.
    public mutating func string(_ name: String, default fallback: String? = nil, help: String) -> String {
        let setting = Setting(name, fallbackOrRequired: fallback, values: "Text.", help: help)
        return text(setting) ?? fallback ?? missing(name, "")
    }

    public mutating func optionalString(_ name: String, help: String) -> String? {
        text(Setting(name, values: "Text.", help: help))
    }

    /// A value that is never printed, from `NAME` or from the file that `NAME_FILE` names.
    public mutating func secret(_ name: String, bytesMin: Int = 1, help: String) -> Secret {
        let values = bytesMin > 1 ? "A secret of at least \(bytesMin) bytes." : "A secret."
        let setting = Setting(name, isRequired: true, isSecret: true, values: values, help: help)
        let value = secretText(setting) ?? missing(name, "")
        if !value.isEmpty, value.utf8.count < bytesMin { problem(name, "is shorter than \(bytesMin) bytes") }
        return Secret(value)
    }

    public mutating func optionalSecret(_ name: String, help: String) -> Secret? {
        secretText(Setting(name, isSecret: true, values: "A secret.", help: help)).map { Secret($0) }
    }

    public mutating func integer(
        _ name: String,
        default fallback: Int,
        in range: ClosedRange<Int>,
        help: String
    ) -> Int {
        let rule = "a whole number in \(range)"
        let setting = Setting(name, fallback: "\(fallback)", values: "Expects \(rule).", help: help)
        guard let text = text(setting) else { return fallback }
        guard let value = Int(text), range.contains(value) else { return wrong(name, rule, text, fallback) }
        return value
    }

    /// `true`, `false`, `1` or `0`.
    public mutating func boolean(_ name: String, default fallback: Bool, help: String) -> Bool {
        let setting = Setting(name, fallback: "\(fallback)", values: "Expects true or false.", help: help)
        guard let text = text(setting) else { return fallback }
        switch text {
        case "true", "1": return true
        case "false", "0": return false
        default: return wrong(name, "true or false", text, fallback)
        }
    }

    /// Values between commas, spaces around them removed.
    public mutating func list(_ name: String, default fallback: [String]? = nil, help: String) -> [String] {
        let shown = fallback?.joined(separator: ",")
        let setting = Setting(name, fallbackOrRequired: shown, values: "Values between commas.", help: help)
        guard let text = text(setting) else { return fallback ?? missing(name, []) }
        let items = text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        guard !items.contains("") else { return wrong(name, "values between commas", text, fallback ?? []) }
        return items
    }

    /// One of an enum's raw values.
    public mutating func choice<Choice>(
        _ name: String,
        of type: Choice.Type = Choice.self,
        default fallback: Choice,
        help: String
    ) -> Choice where Choice: RawRepresentable<String> & CaseIterable {
        let rule = "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
        let setting = Setting(name, fallback: fallback.rawValue, values: "Expects \(rule).", help: help)
        guard let text = text(setting) else { return fallback }
        return Choice(rawValue: text) ?? wrong(name, rule, text, fallback)
    }

    public mutating func path(_ name: String, default fallback: String? = nil, help: String) -> String {
        let setting = Setting(name, fallbackOrRequired: fallback, values: "A path.", help: help)
        return text(setting) ?? fallback ?? missing(name, "")
    }

    public mutating func optionalPath(_ name: String, help: String) -> String? {
        text(Setting(name, values: "A path.", help: help))
    }

    /// A span in milliseconds: `1500`, or with a unit `250ms`, `15s`, `10m`, `2h`, `7d`.
    public mutating func durationMs(
        _ name: String,
        default fallback: Int,
        in range: ClosedRange<Int>,
        help: String
    ) -> Int {
        let rule = "milliseconds in \(range), or a number with ms, s, m, h or d"
        let setting = Setting(name, fallback: "\(fallback)", values: "Expects \(rule).", help: help)
        guard let text = text(setting) else { return fallback }
        guard let value = milliseconds(text), range.contains(value) else {
            return wrong(name, rule, text, fallback)
        }
        return value
    }

    private mutating func missing<Value>(_ name: String, _ placeholder: Value) -> Value {
        problem(name, "is not set")
        return placeholder
    }

    private mutating func wrong<Value>(
        _ name: String,
        _ rule: String,
        _ text: String,
        _ used: Value
    ) -> Value {
        problem(name, "must be \(rule), not '\(text)'")
        return used
    }
}

extension Setting {
    fileprivate init(_ name: String, fallbackOrRequired fallback: String?, values: String, help: String) {
        self.init(name, fallback: fallback, isRequired: fallback == nil, values: values, help: help)
    }

    fileprivate init(
        _ name: String,
        fallback: String? = nil,
        isRequired: Bool = false,
        isSecret: Bool = false,
        values: String,
        help: String
    ) {
        self.init(
            name: name,
            fallback: fallback,
            isRequired: isRequired,
            isSecret: isSecret,
            values: values,
            help: help
        )
    }
}

private func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return String(start[...last])
}

private func milliseconds(_ text: String) -> Int? {
    let units = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let suffix = text.dropFirst(digits.count)
    guard let number = Int(digits) else { return nil }
    guard let factor = suffix.isEmpty ? 1 : units.first(where: { $0.0 == suffix })?.1 else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
}
