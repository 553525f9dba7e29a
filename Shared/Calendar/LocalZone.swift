import Synchronization

/// A time zone of the system's tzdata, by its IANA name.
///
/// The only implementation of local days in the project: everything else sees UTC instants. Cheap to copy and
/// safe to share. A zone read once stays as it was until the process ends, whatever happens to the files.
///
/// Instants outside the years 1…9999 are read as the nearest one inside.
public struct LocalZone: Sendable, Hashable, CustomStringConvertible {
    /// The release of the tz database, such as `2025b`, from the first line of `tzdata.zi`.
    public static var tzdataVersion: String { ZoneNames.system.version }

    /// Every name that can be asked for.
    public static var knownNames: Set<String> { ZoneNames.system.all }

    public static let utc = LocalZone(name: "UTC", rules: ZoneRules([(start: Instant.beginning, offset: 0)]))

    public let name: String
    private let rules: ZoneRules

    /// - Throws: `UnknownZone` unless tzdata has a zone or link of exactly that name.
    public init(named name: String) throws(UnknownZone) {
        guard ZoneNames.system.all.contains(name) else { throw UnknownZone(name: name) }
        guard let rules = ZoneCache.rules(named: name) else { throw UnknownZone(name: name) }
        self.init(name: name, rules: rules)
    }

    private init(name: String, rules: ZoneRules) {
        self.name = name
        self.rules = rules
    }

    public var description: String { name }

    public static func == (left: LocalZone, right: LocalZone) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Seconds east of UTC at an instant.
    public func offsetSeconds(atMs ms: Int64) -> Int {
        Int(rules.offset(at: second(ofMs: ms)))
    }

    /// The local day an instant belongs to.
    ///
    /// Its local date, except for minutes that a clock turned back over midnight repeats; see `ZoneRules`.
    public func day(ofMs ms: Int64) -> LocalDay {
        LocalDay(clamping: rules.day(of: second(ofMs: ms)))
    }

    /// First instant of the day, and first instant of the next day that exists, in milliseconds.
    ///
    /// Bounds of days in a row meet: together they cover all time once. A date that the zone skipped is
    /// empty.
    public func bounds(of day: LocalDay) -> Range<Int64> {
        rules.start(of: Int64(day.number)) * 1000..<rules.start(of: Int64(day.number) + 1) * 1000
    }

    /// First instants of the hours of a day, in milliseconds.
    ///
    /// An hour begins with the day, whenever the local clock shows a whole hour, and whenever the offset
    /// changes; so the hour that summer time repeats is two, and all instants of one hour share one label.
    public func hourStarts(of day: LocalDay) -> [Int64] {
        let bounds = bounds(of: day)
        var starts: [Int64] = []
        starts.reserveCapacity(25)
        for (range, offset) in rules.pieces(of: bounds.lowerBound / 1000..<bounds.upperBound / 1000) {
            starts.append(range.lowerBound * 1000)
            let secondOfHour = (range.lowerBound + offset).flooredDivision(by: 3600).remainder
            let next = range.lowerBound + 3600 - secondOfHour
            starts += stride(from: next, to: range.upperBound, by: 3600).map { $0 * 1000 }
        }
        return starts
    }

    private func second(ofMs ms: Int64) -> Int64 {
        Instant.clamp(ms: ms).flooredDivision(by: 1000).quotient
    }
}

/// A name that is no zone of the system's tzdata.
public struct UnknownZone: Error, Sendable, Equatable, CustomStringConvertible {
    public let name: String
    public init(name: String) { self.name = name }

    public var description: String { "no time zone is named '\(name)' in tzdata \(LocalZone.tzdataVersion)" }
}

/// Zones already read; never more than tzdata has names.
private enum ZoneCache {
    private static let loaded = Mutex<[String: ZoneRules]>([:])

    static func rules(named name: String) -> ZoneRules? {
        loaded.withLock { loaded in
            if let rules = loaded[name] { return rules }
            let rules = ZoneRules.load(path: ZoneNames.directory + "/" + name)
            loaded[name] = rules
            return rules
        }
    }
}
