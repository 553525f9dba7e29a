import Calendar

/// What the portfolio tells of one app: its last full local day, that day's surroundings, and who came back.
///
/// Every figure is one that a report gives too, made by the same code: `dau`, `new` and `sessions` are the summary of the day, the trend is
/// the series of `active` by day, the platforms are the breakdown of the day, D1 and D7 are averages of the retention report.
struct PortfolioFigures: Sendable, Equatable {
    static let trendDays = 30
    /// D1 and D7 look at so many cohorts: one of each weekday.
    static let cohorts = 7

    struct Point: Sendable, Equatable {
        var startMs: Int64
        var value: Int64?
    }

    struct PlatformShare: Sendable, Equatable {
        var platform: String
        var active: Int?
    }

    /// How many of some cohorts came back; large cohorts weigh more.
    struct Returned: Sendable, Equatable {
        var returned = 0
        var size = 0
    }

    /// The last local day that has ended.
    var day: LocalDay
    var dau: Int?
    /// Of the same weekday a week before.
    var weekAgo: LocalDay
    var dauWeekAgo: Int?
    var new: Int?
    var sessions: Int?
    /// Of the seven newest daily cohorts whose day 1 has ended: who came back, of how many.
    var dayOne: Returned
    /// The same for day 7.
    var daySeven: Returned
    /// Distinct active subjects of each of the thirty days that end with `day`.
    var trend: [Point]
    /// Somebody active on two platforms counts in both.
    var platforms: [PlatformShare]

    /// The last local day that has ended at an instant; a date the zone skipped is none.
    static func lastFullDay(_ zone: LocalZone, atMs ms: Int64) -> LocalDay {
        var day = zone.day(ofMs: ms).advanced(by: -1)
        while zone.bounds(of: day).isEmpty { day = day.advanced(by: -1) }
        return day
    }

    /// The days it is made of, with one to spare should midnight pass meanwhile.
    static func span(_ zone: LocalZone, atMs ms: Int64) -> DaySpan {
        let day = lastFullDay(zone, atMs: ms)
        return DaySpan(first: day.advanced(by: -trendDays), last: day.advanced(by: 2))
    }

    init(_ snapshot: ReportSnapshot, unit: ReportUnit) {
        let (data, question) = (snapshot.data, ReportQuestion(unit: unit))
        let last = Self.lastFullDay(snapshot.zone, atMs: snapshot.asOfMs)
        let today = DaySpan(first: last, last: last)
        let totals = AudienceReport.totals(data, question, today)
        day = last
        dau = totals.active
        new = totals.new
        sessions = totals.sessions
        let before = last.advanced(by: -7)
        weekAgo = before
        dauWeekAgo = AudienceReport.totals(data, question, DaySpan(first: before, last: before)).active
        let returns = Self.returns(data, question, last)
        (dayOne, daySeven) = (returns.dayOne, returns.daySeven)
        let span = DaySpan(first: last.advanced(by: 1 - Self.trendDays), last: last)
        let buckets = SeriesBucket.days(span, by: .day, zone: snapshot.zone)
        let values = AudienceSeries.values(.active, data, question, buckets.map(\.span))
        trend = zip(buckets, values).map { Point(startMs: $0.startMs, value: $1) }
        platforms = Breakdown.items(.platform, data, question, today).compactMap { item in
            guard let platform = item.value, item.counts.active != 0 else { return nil }
            return PlatformShare(platform: platform, active: item.counts.active)
        }
    }

    private static func returns(_ data: ReportData, _ question: ReportQuestion, _ last: LocalDay)
        -> (dayOne: Returned, daySeven: Returned)
    {
        let spans = (1...(cohorts + 6)).reversed().map { age in
            DaySpan(first: last.advanced(by: -age), last: last.advanced(by: -age))
        }
        let found = Retention.cohorts(.day, spans, data, question, periods: 7, isOver: { $0 <= last })
        func sum(_ offset: Int) -> Returned {
            found.filter { $0.returned[offset] != nil }.suffix(cohorts).reduce(into: Returned()) {
                sum,
                cohort in
                sum.returned += cohort.returned[offset] ?? 0
                sum.size += cohort.size ?? 0
            }
        }
        return (sum(1), sum(7))
    }
}
