import Contracts
import Testing

@testable import ReaderCore

@Suite struct ReportParametersTests {
    private let week = "from=2026-10-06&to=2026-10-12"

    private func refused(_ query: String) -> ReadRefusal? {
        refusal { () throws(ReadRefusal) in _ = try parameters(query) }
    }

    @Test func defaults() throws {
        let report = try parameters(week)
        #expect(report.span == DaySpan(first: try day("2026-10-06"), last: try day("2026-10-12")))
        #expect(report.environment == .production)
        #expect(report.question.unit == .persons)
        #expect(report.question.filter.isEmpty)
        #expect(report.compare == .previousPeriod)
    }

    @Test func everythingElse() throws {
        let report = try parameters(week + "&environment=development&unit=installs&compare=none")
        #expect(report.environment == .development)
        #expect(report.question.unit == .installs)
        #expect(report.compare == .none)
    }

    @Test(arguments: [
        "", "from=2026-10-06", "to=2026-10-12", "from=2026-10-12&to=2026-10-06",
        "from=2026-02-29&to=2026-03-01",
        "from=2026-10-06&to=2026-10-12&from=2026-10-06",
    ])
    func rangeThatIsNoneIsRefused(query: String) {
        #expect(refused(query)?.code == .invalidRequest)
        #expect(["from", "to"].contains(refused(query)?.field))
    }

    /// Counted in dates: 366 of them are a leap year, or a year and a day.
    @Test(arguments: [
        "from=2026-01-01&to=2027-01-01", "from=2028-01-01&to=2028-12-31", "from=2026-10-06&to=2026-10-06",
        "from=9998-12-31&to=9999-12-31", "from=0001-01-01&to=0001-12-31",
    ])
    func upTo366DaysAreServed(query: String) throws {
        #expect(try parameters(query).span.count <= 366)
    }

    @Test(arguments: [
        "from=2026-01-01&to=2027-01-02", "from=2028-01-01&to=2029-01-01", "from=0001-01-01&to=9999-12-31",
    ])
    func from367DaysOnTheRangeIsTooLarge(query: String) {
        #expect(refused(query) == ReadRefusal(.rangeTooLarge, field: "to"))
    }

    @Test(arguments: [
        ("platform=", "platform"), ("platform=iOS", "platform"), ("platform=ios,android", "platform"),
        ("platform=ios&platform=nokia", "platform"), ("environment=staging", "environment"),
        ("environment=", "environment"), ("environment=production&environment=development", "environment"),
        ("unit=sessions", "unit"), ("compare=previous", "compare"), ("compare=none&compare=none", "compare"),
        ("platfrom=ios", "platfrom"), ("split=platform", "split"), ("key=sk_x", "key"),
        ("device_model=x", "device_model"), ("granularity=Day", "granularity"),
    ])
    func parameterThatIsNotUnderstoodIsNamed(extra: String, field: String) {
        #expect(refused(week + "&" + extra) == ReadRefusal(.invalidRequest, field: field))
    }

    @Test func filtersRepeat() throws {
        let report = try parameters(week + "&platform=ios&app_version=3.4.0&app_version=3.5.0&platform=web")
        #expect(
            report.question.filter
                == ReportFilter([.platform: ["ios", "web"], .appVersion: ["3.4.0", "3.5.0"]])
        )
    }

    @Test(arguments: Platform.allCases)
    func everyPlatformCanBeAskedFor(platform: Platform) throws {
        let report = try parameters(week + "&platform=" + platform.rawValue)
        #expect(report.question.filter.values == [.platform: [platform.rawValue]])
    }

    @Test func valueWithACommaIsOneValue() throws {
        let report = try parameters(week + "&os_name=iPhone14%2C5")
        #expect(report.question.filter.values == [.osName: ["iPhone14,5"]])
    }

    @Test func emptyValueAsksForWhatHasNone() throws {
        let report = try parameters(week + "&app_version=&app_version=3.4.0&country")
        #expect(report.question.filter.values == [.appVersion: [nil, "3.4.0"], .country: [nil]])
    }

    @Test func seriesNeedsAMetric() {
        for (query, field) in [
            (week, "metric"), (week + "&metric=dau", "metric"), (week + "&metric=", "metric"),
            (week + "&metric=new&metric=new", "metric"),
            (week + "&metric=new&granularity=Day", "granularity"),
            (week + "&metric=new&granularity=fortnight", "granularity"),
            (week + "&metric=new&limit=0", "limit"),
        ] {
            let refused = refusal { () throws(ReadRefusal) in
                _ = try report(TimeseriesAPI.self, query)
            }
            #expect(refused == ReadRefusal(.invalidRequest, field: field), "\(query)")
        }
    }

    @Test(arguments: ["active", "new", "sessions", "avg_duration_ms"])
    func seriesOfEachMetric(metric: String) throws {
        let query = week + "&granularity=day&metric=" + metric
        #expect(try report(TimeseriesAPI.self, query).metric.rawValue == metric)
    }

    @Test func summaryTakesNoMetric() throws {
        let refused = refusal { () throws(ReadRefusal) in
            _ = try report(SummaryAPI.self, week + "&metric=active")
        }
        #expect(refused == ReadRefusal(.invalidRequest, field: "metric"))
    }

    @Test func comparedDaysAreLoadedToo() throws {
        let span = DaySpan(first: try day("2026-10-06"), last: try day("2026-10-12"))
        #expect(try report(SummaryAPI.self, week).request.spans == [span.previous, span])
        #expect(try report(SummaryAPI.self, week + "&compare=none").request.spans == [span])
    }
}
