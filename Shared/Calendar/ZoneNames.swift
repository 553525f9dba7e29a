import FoundationEssentials

/// The zone names of the system's tzdata: what `tzdata.zi` calls a zone (Z) or a link (L).
///
/// Read once. The directory holds more files than zones (`posixrules`, `localtime`, tables), and parsers
/// accept more than names (`UTC+3`, `IST`); nothing but this list is believed.
struct ZoneNames: Sendable {
    static let directory = "/usr/share/zoneinfo"
    static let system = ZoneNames(readingFrom: directory + "/tzdata.zi")

    /// Such as `2025b`; empty when the system has no tzdata.
    let version: String
    let all: Set<String>

    init(readingFrom path: String) {
        let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        self.init(parsing: text ?? "")
    }

    init(parsing text: String) {
        var version = ""
        var all: Set<String> = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            switch fields.first {
            case "#" where version.isEmpty && fields.count >= 3 && fields[1] == "version":
                version = String(fields[2])
            case "Z" where fields.count >= 2: all.insert(String(fields[1]))
            case "L" where fields.count >= 3: all.insert(String(fields[2]))
            default: break
            }
        }
        // A zone by its line, but made to say "not set up yet".
        all.remove("Factory")
        self.version = version
        self.all = all
    }
}
