public import Calendar
public import Postgres

/// From when on events are kept: the first month of which some day lies within the last 25 months.
///
/// Months are those of UTC, because they are dropped as a whole. A local day that begins before the horizon is expired with all of its events,
/// also those that lie after it, so that a day is either there in full or frozen.
public struct RetentionHorizon: Sendable, Equatable {
    public static let monthsKept = 25

    /// The first day that is kept, in UTC; the first of a month.
    public let firstDay: LocalDay

    /// The horizon at a moment.
    ///
    /// A month goes at the very instant at which its end is 25 months old.
    public init(nowMs: Int64) {
        let (year, month, _) = LocalZone.utc.day(ofMs: nowMs).components
        let count = year * 12 + (month - 1) - Self.monthsKept
        firstDay = LocalDay(year: count / 12, month: count % 12 + 1, day: 1) ?? .first
    }

    public init(firstDay: LocalDay) {
        self.firstDay = firstDay
    }

    /// Milliseconds since 1970.
    public var keptFromMs: Int64 { LocalZone.utc.bounds(of: firstDay).lowerBound }

    /// Whoever was active on this UTC day or later is kept.
    ///
    /// Two days before the horizon: a session may reach from there into a day that is kept, whose block names the install and user of its start.
    public var peopleFrom: LocalDay { firstDay.advanced(by: -2) }

    /// The first local day of a zone that is kept.
    public func firstDay(in zone: LocalZone) -> LocalDay {
        let day = zone.day(ofMs: keptFromMs)
        return isExpired(day, in: zone) ? day.advanced(by: 1) : day
    }

    /// Whether a local day is expired as a whole.
    public func isExpired(_ day: LocalDay, in zone: LocalZone) -> Bool {
        zone.bounds(of: day).lowerBound < keptFromMs
    }
}

extension RetentionHorizon {
    /// The horizon that stores obey at this moment.
    public static func stored(_ connection: isolated PostgresConnection) throws -> RetentionHorizon {
        let ms = try connection.first("SELECT kept_from FROM retention_horizon LIMIT 1") {
            try $0.timestampMs(0)
        }
        return RetentionHorizon(firstDay: LocalZone.utc.day(ofMs: ms ?? 0))
    }

    /// Makes this the horizon that stores obey; never moves it back.
    ///
    /// Waits for running batches: once this is committed, no event before it is stored any more.
    public func advance(_ connection: isolated PostgresConnection) throws {
        guard try Self.stored(connection).firstDay < firstDay else { return }
        try connection.transaction { connection in
            try StoreBarrier.close(connection)
            _ = try connection.execute(
                """
                UPDATE retention_horizon SET kept_from = \(PostgresTimestamp(ms: keptFromMs))::timestamptz
                WHERE kept_from < \(PostgresTimestamp(ms: keptFromMs))::timestamptz
                """
            )
        }
    }
}
