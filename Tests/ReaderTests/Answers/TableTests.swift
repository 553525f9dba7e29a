import Calendar
import Contracts
import Testing
import Wire

@testable import ReaderCore

/// Whole tables, byte for byte: scripts read them.
@Suite struct TableTests {
    /// Midnight after 12 October 2026, in UTC.
    private let asOfMs: Int64 = 1_791_849_600_000

    private func snapshot() throws -> ReportSnapshot {
        let people = PeopleMap(
            installs: [
                .init(number: 1, owner: 1),
                .init(number: 2, anonymousFirst: .on(try day("2026-10-12"), context: 2)),
            ],
            users: [.init(number: 1, first: .on(try day("2026-10-05")))]
        )
        var cell = ReportContext(platform: "web")
        cell[.deviceModel] = "=1+1,\"x\""
        var model = ReportContext(platform: "ios")
        model[.deviceModel] = "iPhone14,5"
        let days = [
            ReportDay(try day("2026-10-11"), [.of(install: 1, user: 1, durationMs: 160)]),
            ReportDay(
                try day("2026-10-12"),
                [.of(install: 1, user: 1, durationMs: 183), .of(install: 2, context: 2)]
            ),
        ]
        return ReportSnapshot(
            ReportData(days: days, people: people, contexts: [1: model, 2: cell]),
            asOfMs: asOfMs,
            dataThroughMs: asOfMs
        )
    }

    private func table<Report: AudienceAPI>(_ type: Report.Type, _ query: String) throws -> [String] {
        let text = String(decoding: try report(type, query).table(snapshot()), as: UTF8.self)
        #expect(text.hasSuffix("\r\n"))
        return text.replacing("\r\n", with: "\u{0}").split(separator: "\u{0}").map(String.init)
    }

    @Test func summary() throws {
        #expect(
            try table(SummaryAPI.self, "from=2026-10-11&to=2026-10-12&compare=none") == [
                "from,to,active,new,sessions,avg_duration_ms,median_duration_ms",
                "2026-10-11,2026-10-12,2,1,3,172,172",
            ]
        )
    }

    @Test func comparedSummaryIsOneRecord() throws {
        #expect(
            try table(SummaryAPI.self, "from=2026-10-12&to=2026-10-12") == [
                "from,to,active,new,sessions,avg_duration_ms,median_duration_ms,previous_from,previous_to,previous_active,"
                    + "previous_new,previous_sessions,previous_avg_duration_ms,previous_median_duration_ms,delta_pct_active,"
                    + "delta_pct_new,delta_pct_sessions,delta_pct_avg_duration_ms,delta_pct_median_duration_ms",
                "2026-10-12,2026-10-12,2,1,2,183,183,2026-10-11,2026-10-11,1,0,1,160,160,100,,100,14.38,14.38",
            ]
        )
    }

    @Test func seriesWithComparison() throws {
        #expect(
            try table(TimeseriesAPI.self, "from=2026-10-12&to=2026-10-13&metric=active") == [
                "period,platform,ts,active,complete", "current,,2026-10-12T00:00:00+00:00,2,true",
                "current,,2026-10-13T00:00:00+00:00,0,false", "previous,,2026-10-10T00:00:00+00:00,0,true",
                "previous,,2026-10-11T00:00:00+00:00,1,true",
            ]
        )
    }

    @Test func seriesByPlatform() throws {
        #expect(
            try table(
                TimeseriesAPI.self,
                "from=2026-10-12&to=2026-10-12&metric=avg_duration_ms&split=platform"
            ) == [
                "period,platform,ts,avg_duration_ms,complete", "current,,2026-10-12T00:00:00+00:00,183,true",
                "current,ios,2026-10-12T00:00:00+00:00,183,true",
                "current,web,2026-10-12T00:00:00+00:00,,true",
            ]
        )
    }

    @Test func rollingActive() throws {
        #expect(
            try table(RollingActiveAPI.self, "from=2026-10-12&to=2026-10-13") == [
                "ts,dau,wau,mau,complete", "2026-10-12T00:00:00+00:00,2,2,2,true",
                "2026-10-13T00:00:00+00:00,0,2,2,false",
            ]
        )
    }

    /// B70, and values that hold the separator.
    @Test func breakdownShowsWhatClientsSentAsText() throws {
        #expect(
            try table(BreakdownAPI.self, "from=2026-10-11&to=2026-10-12&dimension=device_model&compare=none")
                == [
                    "device_model,active,new,sessions,avg_duration_ms,share", "\"iPhone14,5\",1,0,2,172,0.5",
                    "\"'=1+1,\"\"x\"\"\",1,1,1,,0.5",
                ]
        )
    }

    @Test func comparedBreakdown() throws {
        #expect(
            try table(BreakdownAPI.self, "from=2026-10-12&to=2026-10-12&dimension=os_name") == [
                "os_name,active,new,sessions,avg_duration_ms,share,previous_active,previous_new,previous_sessions,"
                    + "previous_avg_duration_ms,previous_share,delta_pct_active,delta_pct_new,delta_pct_sessions,"
                    + "delta_pct_avg_duration_ms",
                ",2,1,2,183,1,1,0,1,160,1,100,,100,14.38",
            ]
        )
    }

    @Test func retentionLeavesPeriodsThatHaveNotEndedEmpty() throws {
        #expect(
            try table(RetentionAPI.self, "from=2026-10-12&to=2026-10-12&periods=2") == [
                "from,to,size,retention_0,retention_1,retention_2", "2026-10-12,2026-10-12,1,1,,",
            ]
        )
    }
}

@Suite struct PortfolioTableTests {
    @Test func oneRecordForEachApp() throws {
        let date = try day("2026-10-12")
        let people = PeopleMap(
            installs: [.init(number: 1, owner: 1)],
            users: [.init(number: 1, first: .on(try day("2026-10-11")))]
        )
        let days = [
            ReportDay(try day("2026-10-11"), [.of(install: 1, user: 1, durationMs: 160)]),
            ReportDay(date, [.of(install: 1, user: 1)]),
        ]
        // Midnight after 12 October 2026, in UTC.
        let snapshot = ReportSnapshot(
            ReportData(days: days, people: people, contexts: [1: ReportContext(platform: "ios")]),
            asOfMs: 1_791_849_600_000
        )
        let app = AppRecord(
            id: try #require(UUID128("0199d5f0-0000-7000-8000-000000000002")),
            number: 7,
            name: "=Notes, 2",
            timezone: "UTC",
            platforms: ["ios"],
            status: .active,
            createdAtMs: 0,
            archivedAtMs: nil
        )
        let item = PortfolioAPI.Item(
            app: app,
            figures: PortfolioFigures(snapshot, unit: .persons),
            zone: .utc,
            asOfMs: snapshot.asOfMs,
            dataThroughMs: 0
        )
        let expected = """
            app_id,name,date,dau,previous_date,previous_dau,delta_pct_dau,new,sessions,d1,d7\r
            0199d5f0-0000-7000-8000-000000000002,"'=Notes, 2",2026-10-12,1,2026-10-05,0,,0,1,1,\r

            """
        #expect(String(decoding: PortfolioAPI.table([item]), as: UTF8.self) == expected)
    }
}
