import Contracts
import Gzip
import Postgres
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// What surrounds the figures: tags, packing, tables, and the document.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct AnswerEndpointTests {
    private static let range = "from=2026-10-01&to=2026-10-01"

    private func reports(_ app: TestApp) -> [String] {
        [
            "audience/summary?\(Self.range)", "audience/timeseries?\(Self.range)&metric=active",
            "audience/timeseries?\(Self.range)&metric=new&granularity=hour",
            "audience/rolling-active?\(Self.range)",
            "audience/breakdown?\(Self.range)&dimension=country", "retention?\(Self.range)",
        ].map { "/v1/apps/\(app.id)/\($0)" }
    }

    private func filled(_ world: ReaderWorld) async throws -> TestApp {
        let app = try await TestApp.make(world.connection)
        try await world.send(app, session(utcMs("2026-10-01", hours: 9)))
        try await world.close()
        return app
    }

    // MARK: tags

    @Test func unchangedReportIsNotSentAgain() async throws {
        try await withReader { world in
            let app = try await filled(world)
            for target in reports(app) + ["/v1/apps", "/v1/apps/\(app.id)", "/openapi.json"] {
                let first = try await world.get(target)
                let tag = try #require(first.header("ETag"), "\(target)")
                #expect(first.header("Cache-Control") == "private, no-cache")
                #expect(try await world.get(target).header("ETag") == tag)

                for named in [tag, "\"other\", \(tag.dropFirst(2))", "*"] {
                    let again = try await world.get(target, headers: [("If-None-Match", named)])
                    #expect(again.status == 304, "\(target) \(named)")
                    #expect(again.body.isEmpty)
                    #expect(again.header("ETag") == tag)
                    #expect(again.header("X-Request-Id")?.count == 26)
                    #expect(again.header("Vary") == first.header("Vary"))
                    #expect(again.header("Cache-Control") == "private, no-cache")
                    #expect(again.header("Content-Type") == nil)
                }
                #expect(try await world.get(target, headers: [("If-None-Match", "\"other\"")]).status == 200)
                #expect(
                    try await world.get(target, method: "HEAD", headers: [("If-None-Match", tag)]).status
                        == 304
                )
            }
        }
    }

    @Test func tagOfOneReportIsNoneOfAnother() async throws {
        try await withReader { world in
            let app = try await filled(world)
            var tags: Set<String> = []
            let targets =
                reports(app) + reports(app).map { $0 + "&format=csv" }
                + reports(app).map { $0 + "&unit=installs" }
            for target in targets { tags.insert(try #require(try await world.get(target).header("ETag"))) }
            #expect(tags.count == targets.count)
        }
    }

    @Test func newEventChangesTheTagOnceItsDayIsClosed() async throws {
        try await withReader { world in
            let app = try await filled(world)
            for (number, target) in reports(app).enumerated() {
                let tag = try #require(try await world.get(target).header("ETag"))
                try await world.send(app, session(utcMs("2026-10-01", hours: 10 + Double(number))))
                // Only freshness has changed, which is no part of it.
                #expect(try await world.get(target).header("ETag") == tag)
                try await world.close()
                #expect(try await world.get(target, headers: [("If-None-Match", tag)]).status == 200)
            }
        }
    }

    /// A sign-in moves earlier days without touching their blocks.
    @Test func signInChangesTheTag() async throws {
        try await withReader { world in
            let app = try await filled(world)
            let target = reports(app)[0]
            let tag = try #require(try await world.get(target).header("ETag"))
            try await world.send(app, session(utcMs("2026-10-05", hours: 9), user: "42"))
            #expect(try await world.get(target, headers: [("If-None-Match", tag)]).status == 200)
        }
    }

    @Test func keyIsCheckedBeforeTheTag() async throws {
        try await withReader { world in
            let app = try await filled(world)
            for target in reports(app) + ["/v1/apps"] {
                let answer = try await world.get(target, key: nil, headers: [("If-None-Match", "*")])
                #expect(answer.status == 401)
                #expect(answer.header("ETag") == nil)
            }
        }
    }

    // MARK: packing

    @Test func longAnswerIsPackedForThoseWhoTakeIt() async throws {
        try await withReader { world in
            let app = try await filled(world)
            let target = "/v1/apps/\(app.id)/audience/timeseries?from=2026-01-01&to=2026-10-01&metric=active"
            let plain = try await world.get(target)
            #expect(plain.header("Content-Encoding") == nil)
            #expect(plain.header("Vary") == "Accept, Accept-Encoding")
            let packed = try await world.get(
                target,
                method: "HEAD",
                headers: [("Accept-Encoding", "br;q=1, gzip;q=0.8")]
            )
            #expect(packed.header("Content-Encoding") == "gzip")
            #expect(packed.header("ETag") == plain.header("ETag"))
            let length = try #require(packed.header("Content-Length").flatMap { Int($0) })
            #expect(length < plain.body.utf8.count / 4)
            let refused = try await world.get(target, headers: [("Accept-Encoding", "gzip;q=0")])
            #expect(refused.header("Content-Encoding") == nil)
            let short = try await world.get("/v1/apps/\(app.id)", headers: [("Accept-Encoding", "gzip")])
            #expect(short.header("Content-Encoding") == nil)
            #expect(short.header("Vary") == "Accept-Encoding")
        }
    }

    // MARK: tables

    @Test func everyReportIsATableForThoseWhoAsk() async throws {
        try await withReader { world in
            let app = try await filled(world)
            for target in reports(app) {
                let asked = try await world.get(target + "&format=csv")
                let accepted = try await world.get(target, headers: [("Accept", "text/csv")])
                for answer in [asked, accepted] {
                    #expect(answer.status == 200)
                    #expect(answer.header("Content-Type") == "text/csv; charset=utf-8")
                    let disposition = try #require(answer.header("Content-Disposition"))
                    #expect(disposition.hasPrefix("attachment; filename=\""))
                    #expect(disposition.hasSuffix("_2026-10-01_2026-10-01.csv\""))
                    #expect(answer.body.hasSuffix("\r\n"))
                }
                #expect(asked.body == accepted.body)
                #expect(
                    try await world.get(target + "&format=json").header("Content-Type") == "application/json"
                )
            }
        }
    }

    @Test func unknownFormatIsRefusedInJSON() async throws {
        try await withReader { world in
            let app = try await filled(world)
            for target in reports(app).map({ $0 + "&format=xml" }) + ["/v1/apps?format=csv"] {
                let answer = try await world.get(target, headers: [("Accept", "text/csv")])
                #expect(answer.status == 400)
                let error = try (decoded(answer) as ErrorAnswer).error
                #expect(error.code == "invalid_request")
                #expect(error.details == ["field": "format"])
            }
        }
    }

    // MARK: days that are not there

    @Test func rangesWithoutDataAreZerosAndNothing() async throws {
        try await withReader { world in
            let (app, empty) = (try await filled(world), try await TestApp.make(world.connection))
            for app in [app, empty] {
                for range in ["from=2019-05-01&to=2019-05-02", "from=2040-05-01&to=2040-05-02"] {
                    let figures = try await world.summary(app, range).figures
                    #expect(figures.active == 0 && figures.new == 0 && figures.sessions == 0)
                    #expect(figures.avgDurationMs == nil && figures.medianDurationMs == nil)
                    let points = try await world.series(app, range + "&metric=sessions").points
                    #expect(points.map(\.value) == [0, 0])
                    for report in [
                        "audience/rolling-active?", "audience/breakdown?dimension=city&", "retention?",
                    ] {
                        #expect(try await world.get("/v1/apps/\(app.id)/\(report)\(range)").status == 200)
                    }
                }
            }
            #expect(try await world.summary(empty, Self.range).figures.active == 0)
            // A day in between that nobody was there has no block at all.
            let points = try await world.series(app, "from=2026-09-30&to=2026-10-02&metric=active").points
            #expect(points.map(\.value) == [0, 1, 0])
        }
    }

    /// The calendar ends at the years 1 and 9999; so do reports, without a fault.
    @Test(arguments: ["from=0001-01-01&to=0001-01-02", "from=9999-12-30&to=9999-12-31"])
    func endsOfTheCalendarAreServed(range: String) async throws {
        try await withReader { world in
            let app = try await filled(world)
            for report in [
                "audience/summary?", "audience/timeseries?metric=active&",
                "audience/timeseries?metric=new&granularity=hour&",
                "audience/timeseries?metric=new&granularity=month&",
                "audience/timeseries?metric=new&granularity=week&",
                "audience/rolling-active?", "audience/breakdown?dimension=platform&", "retention?",
                "retention?cohort=week&",
                "retention?cohort=week&periods=90&",
            ] {
                let answer = try await world.get("/v1/apps/\(app.id)/\(report)\(range)")
                #expect(answer.status == 200, "\(report)")
            }
        }
    }

    /// A damaged block is an error of ours for every report that needs it, and for no other.
    @Test func damagedDayIsNoFigures() async throws {
        try await withReader { world in
            let app = try await filled(world)
            try await world.connection.execute(
                "UPDATE closed_days SET block = set_byte(block, length(block) - 1, 255 - get_byte(block, length(block) - 1))"
            )
            for target in reports(app) {
                let answer = try await world.get(target)
                #expect(answer.status == 500)
                #expect(answer.header("ETag") == nil)
                #expect(try (decoded(answer) as ErrorAnswer).error.code == "internal_error")
            }
            let other = try await world.get(
                "/v1/apps/\(app.id)/audience/summary?from=2026-09-01&to=2026-09-02"
            )
            #expect(other.status == 200)
            let line = try #require(world.log.lines.first { $0.contains("\"day_damaged\"") })
            #expect(line.contains("\"day\":\"2026-10-01\"") && line.contains("\"app\":\(app.number)"))
        }
    }

    // MARK: the document

    @Test func documentIsForEverybody() async throws {
        try await withReader { world in
            let answer = try await world.get("/openapi.json", key: nil)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "application/json")
            #expect(answer.header("Access-Control-Allow-Origin") == "*")
            #expect(Array(answer.body.utf8) == OpenAPIDocument.bytes)
            let preflight = try await world.get("/openapi.json", key: nil, method: "OPTIONS")
            #expect(preflight.status == 204)
            #expect(preflight.header("Access-Control-Allow-Origin") == "*")
            #expect(preflight.header("Allow") == "GET, HEAD, OPTIONS")
            let posted = try await world.get("/openapi.json", key: nil, method: "POST")
            #expect(posted.status == 405)
            #expect(posted.header("Allow") == "GET, HEAD, OPTIONS")
        }
    }

    /// Secret keys do not belong into pages.
    @Test func nothingElseIsForPagesOfOtherSites() async throws {
        try await withReader { world in
            let app = try await filled(world)
            for target in reports(app) + ["/v1/apps"] {
                for method in ["GET", "OPTIONS"] {
                    let answer = try await world.get(
                        target,
                        method: method,
                        headers: [("Origin", "https://example.com")]
                    )
                    #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
                }
            }
        }
    }
}
