import Calendar
public import Contracts

/// What an app's owner may set, checked in one place for every way in.
public enum AppRules {
    public static let nameScalarsMax = 200

    /// Without blanks around it.
    ///
    /// - Throws: `ControlProblem.invalid` for a name that is empty, too long or holds control characters.
    public static func name(_ text: String) throws(ControlProblem) -> String {
        let scalars = text.unicodeScalars
        let isBlank: (Unicode.Scalar) -> Bool = \.properties.isWhitespace
        let trimmed = String(
            String.UnicodeScalarView(scalars.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        )
        guard (1...nameScalarsMax).contains(trimmed.unicodeScalars.count) else {
            throw .invalid(field: "name", "must have 1 to \(nameScalarsMax) characters")
        }
        guard !trimmed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .invalid(field: "name", "must not hold control characters")
        }
        return trimmed
    }

    /// - Throws: `ControlProblem.invalid` for an empty list, an unknown platform or one named twice.
    public static func platforms(_ names: [String]) throws(ControlProblem) -> [Platform] {
        let platforms = names.compactMap(Platform.init(rawValue:))
        guard platforms.count == names.count else {
            let all = Platform.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid(field: "platforms", "each must be one of \(all)")
        }
        guard !platforms.isEmpty else { throw .invalid(field: "platforms", "at least one is needed") }
        guard Set(platforms).count == platforms.count else {
            throw .invalid(field: "platforms", "one is named twice")
        }
        return platforms
    }

    /// - Throws: `ControlProblem.invalid` for a name this machine's tzdata does not have.
    public static func timezone(_ name: String) throws(ControlProblem) -> String {
        guard (try? LocalZone(named: name)) != nil else {
            throw .invalid(field: "timezone", "is not a zone of this machine's tzdata, such as Europe/Berlin")
        }
        return name
    }
}
