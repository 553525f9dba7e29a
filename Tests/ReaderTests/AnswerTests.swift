import Calendar
import Contracts
import Testing
import Wire

@testable import ReaderCore

/// Whole answers, byte for byte: scripts read them.
@Suite struct AnswerTests {
    /// Midnight after 12 October 2026, in UTC.
    private let asOfMs: Int64 = 1_791_849_600_000

    private func snapshot(_ days: [ReportDay], zone: LocalZone = .utc, dataThroughMs: Int64? = nil) throws
        -> ReportSnapshot
    {
        let people = PeopleMap(
            installs: [
                .init(number: 1, owner: 1), .init(number: 2, anonymousFirst: .on(try day("2026-10-12"))),
            ],
            users: [.init(number: 1, first: .on(try day("2026-10-05")))]
        )
        return ReportSnapshot(
            ReportData(days: days, people: people, contexts: [1: ReportContext(platform: "ios")]),
            zone: zone,
            asOfMs: asOfMs,
            dataThroughMs: dataThroughMs ?? asOfMs
        )
    }

    private func twoDays() throws -> [ReportDay] {
        [
            ReportDay(try day("2026-10-11"), [.of(install: 1, user: 1, durationMs: 160)]),
            ReportDay(
                try day("2026-10-12"),
                [
                    .of(install: 1, user: 1, durationMs: 183), .of(install: 2),
                    .of(install: 2, isSession: false),
                ]
            ),
        ]
    }

    private func summary(_ query: String, _ snapshot: ReportSnapshot) throws -> String {
        String(decoding: try report(SummaryAPI.self, query).answer(snapshot), as: UTF8.self)
    }

    private func series(_ query: String, _ snapshot: ReportSnapshot) throws -> String {
        String(decoding: try report(TimeseriesAPI.self, query).answer(snapshot), as: UTF8.self)
    }

    @Test func summaryWithComparison() throws {
        let answer = try summary("from=2026-10-12&to=2026-10-12", snapshot(twoDays()))
        let expected = """
            {"from":"2026-10-12","to":"2026-10-12","active":2,"new":1,"sessions":2,"avg_duration_ms":183,\
            "median_duration_ms":183,"compare":{"from":"2026-10-11","to":"2026-10-11","active":1,"new":0,\
            "sessions":1,"avg_duration_ms":160,"median_duration_ms":160,"delta_pct":{"active":100,"new":null,\
            "sessions":100,"avg_duration_ms":14.38,"median_duration_ms":14.38}},\
            "as_of":"2026-10-13T00:00:00.000Z","data_through":"2026-10-13T00:00:00.000Z"}
            """
        #expect(answer == expected)
    }

    @Test func summaryWithoutComparison() throws {
        let answer = try summary("from=2026-10-11&to=2026-10-12&compare=none", snapshot(twoDays()))
        let expected = """
            {"from":"2026-10-11","to":"2026-10-12","active":2,"new":1,"sessions":3,"avg_duration_ms":172,\
            "median_duration_ms":172,"compare":null,\
            "as_of":"2026-10-13T00:00:00.000Z","data_through":"2026-10-13T00:00:00.000Z"}
            """
        #expect(answer == expected)
    }

    @Test func summaryOfNothing() throws {
        let answer = try summary(
            "from=2019-01-01&to=2019-01-01",
            snapshot([], dataThroughMs: asOfMs - 1_500)
        )
        let expected = """
            {"from":"2019-01-01","to":"2019-01-01","active":0,"new":0,"sessions":0,"avg_duration_ms":null,\
            "median_duration_ms":null,"compare":{"from":"2018-12-31","to":"2018-12-31","active":0,"new":0,\
            "sessions":0,"avg_duration_ms":null,"median_duration_ms":null,"delta_pct":{"active":null,"new":null,\
            "sessions":null,"avg_duration_ms":null,"median_duration_ms":null}},\
            "as_of":"2026-10-13T00:00:00.000Z","data_through":"2026-10-12T23:59:58.500Z"}
            """
        #expect(answer == expected)
    }

    @Test func seriesWithComparison() throws {
        let answer = try series("from=2026-10-12&to=2026-10-13&metric=active", snapshot(twoDays()))
        let expected = """
            {"metric":"active","granularity":"day","from":"2026-10-12","to":"2026-10-13",\
            "points":[{"ts":"2026-10-12T00:00:00+00:00","value":2},\
            {"ts":"2026-10-13T00:00:00+00:00","value":0,"complete":false}],\
            "compare":{"from":"2026-10-10","to":"2026-10-11",\
            "points":[{"ts":"2026-10-10T00:00:00+00:00","value":0},{"ts":"2026-10-11T00:00:00+00:00","value":1}]},\
            "as_of":"2026-10-13T00:00:00.000Z","data_through":"2026-10-13T00:00:00.000Z"}
            """
        #expect(answer == expected)
    }

    @Test func seriesOfDurationsIsNullWhereNothingEnded() throws {
        let answer = try series(
            "from=2026-10-10&to=2026-10-11&metric=avg_duration_ms&granularity=day&compare=none",
            snapshot(twoDays())
        )
        let expected = """
            {"metric":"avg_duration_ms","granularity":"day","from":"2026-10-10","to":"2026-10-11",\
            "points":[{"ts":"2026-10-10T00:00:00+00:00","value":null},\
            {"ts":"2026-10-11T00:00:00+00:00","value":160}],"compare":null,\
            "as_of":"2026-10-13T00:00:00.000Z","data_through":"2026-10-13T00:00:00.000Z"}
            """
        #expect(answer == expected)
    }

    @Test func apps() throws {
        let id = try #require(UUID128("0199d5f0-0000-7000-8000-000000000002"))
        var app = AppRecord(
            id: id,
            number: 7,
            name: "Notes \"2\" \u{1}<é>",
            timezone: "Europe/Moscow",
            platforms: ["ios", "web"],
            status: .active,
            createdAtMs: 1_791_849_600_318,
            archivedAtMs: nil
        )
        let first = """
            {"id":"0199d5f0-0000-7000-8000-000000000002","name":"Notes \\"2\\" \\u0001<é>","platform":"ios",\
            "platforms":["ios","web"],"timezone":"Europe/Moscow","status":"active",\
            "created_at":"2026-10-13T00:00:00.318Z","archived_at":null}
            """
        #expect(String(decoding: AppsAPI.one(app), as: UTF8.self) == first)
        app = AppRecord(
            id: id,
            number: 7,
            name: "Old",
            timezone: "UTC",
            platforms: [],
            status: .archived,
            createdAtMs: 0,
            archivedAtMs: 1_000
        )
        let second = """
            {"id":"0199d5f0-0000-7000-8000-000000000002","name":"Old","platform":null,"platforms":[],\
            "timezone":"UTC","status":"archived","created_at":"1970-01-01T00:00:00.000Z",\
            "archived_at":"1970-01-01T00:00:01.000Z"}
            """
        #expect(String(decoding: AppsAPI.list([app]), as: UTF8.self) == "{\"items\":[\(second)]}")
        #expect(String(decoding: AppsAPI.list([]), as: UTF8.self) == "{\"items\":[]}")
    }
}
