public import Calendar

/// Which day: of which app, in which of its two worlds.
public struct DayKey: Hashable, Sendable {
    public let app: Int32
    public let environment: Int16
    public let day: LocalDay

    public init(app: Int32, environment: Int16, day: LocalDay) {
        self.app = app
        self.environment = environment
        self.day = day
    }

    /// A number for an advisory lock: 31 bits of the app, one of the environment, 32 of the day.
    var lockNumber: Int64 {
        Int64(app) << 33 | Int64(environment & 1) << 32 | Int64(UInt32(bitPattern: day.number))
    }
}
