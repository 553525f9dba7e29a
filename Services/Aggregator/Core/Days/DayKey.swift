public import Calendar

/// Which day: of which app, in which of its two worlds, cut by which of its zones.
public struct DayKey: Hashable, Sendable {
    public let app: Int32
    public let environment: Int16
    /// The number of the zone it was cut by; another one while a change of zone is under way.
    public let zoneVersion: Int32
    public let day: LocalDay

    public init(app: Int32, environment: Int16, zoneVersion: Int32, day: LocalDay) {
        self.app = app
        self.environment = environment
        self.zoneVersion = zoneVersion
        self.day = day
    }

    /// Another day of the same app, environment and zone.
    func on(_ day: LocalDay) -> DayKey {
        DayKey(app: app, environment: environment, zoneVersion: zoneVersion, day: day)
    }

    /// A number for an advisory lock: the app, one bit of the environment, the zone's version and the day.
    ///
    /// Two days may share one in theory; then they are only closed one after the other.
    var lockNumber: Int64 {
        let version = Int64(zoneVersion & 0xFF) << 24
        return Int64(app) << 33 | Int64(environment & 1) << 32 | version
            ^ Int64(UInt32(bitPattern: day.number))
    }
}
