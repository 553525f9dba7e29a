import AggregatorCore
import Contracts
import TestSupport
import Testing

@testable import ConsoleCore

/// The Read API by session: the same answers, tags and forms as from the reader.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct ReadThroughTests {
    private func withDay(_ body: (ConsoleWorld, ConsoleWorld.Member, String) async throws -> Void)
        async throws
    {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)["id"].text ?? ""
            let store = try await EventStore(connection: world.connection, topic: "events")
            let message = EventMessage.valid(app: try #require(UUID128(app)), [.start()])
            _ = try await store.store(
                [DecodedMessage(partition: 0, offset: 0, content: .events(message))],
                progress: []
            )
            _ = try await ClosingRun(closer: DayCloser(connection: world.connection)).run()
            let report = "/v1/apps/\(app)/audience/"
            try await body(world, member, report)
        }
    }

    private static let range = "from=2026-10-14&to=2026-10-14&compare=none"

    /// The tag itself is tried on an app: while a transaction is open anywhere, one state of a report may have two names.
    @Test func answersHaveTagsThatAreKnownAgain() async throws {
        try await withDay { world, member, report in
            let target = report + "summary?" + Self.range
            let first = try await world.send("GET", target, as: member)
            #expect(first.status == 200 && first.json["active"].number == 1)
            #expect(first.header("ETag")?.hasPrefix("W/") == true)
            #expect(first.header("Cache-Control") == "private, no-cache")
            let known = try await world.send("GET", target, as: member, headers: [("If-None-Match", "*")])
            #expect(known.status == 304 && known.body.isEmpty)
            let app = String(report.dropLast("/audience/".count))
            let tag = try await world.send("GET", app, as: member).header("ETag") ?? ""
            let again = try await world.send("GET", app, as: member, headers: [("If-None-Match", tag)])
            #expect(again.status == 304 && again.header("ETag") == tag)
        }
    }

    @Test func reportIsATableToo() async throws {
        try await withDay { world, member, report in
            let target = report + "breakdown?dimension=os_name&format=csv&" + Self.range
            let answer = try await world.send("GET", target, as: member)
            #expect(answer.header("Content-Type") == "text/csv; charset=utf-8")
            #expect(answer.body.hasPrefix("os_name,active,"))
            #expect(answer.header("Content-Disposition")?.hasPrefix("attachment") == true)
        }
    }

    @Test func longReportIsPacked() async throws {
        try await withDay { world, member, report in
            let target =
                report + "timeseries?metric=active&granularity=day&from=2026-08-01&to=2026-10-14&compare=none"
            let plain = try await world.send("HEAD", target, as: member)
            let packed = try await world.send(
                "HEAD",
                target,
                as: member,
                headers: [("Accept-Encoding", "gzip")]
            )
            let length = { (answer: HTTPAnswer) in answer.header("Content-Length").flatMap { Int($0) } ?? 0 }
            #expect(packed.header("Content-Encoding") == "gzip" && length(packed) * 2 < length(plain))
        }
    }

    @Test func refusalsAreThoseOfTheReadAPI() async throws {
        try await withDay { world, member, report in
            let answer = try await world.send("GET", report + "summary?from=x", as: member)
            #expect(
                answer.status == 400 && answer.errorCode == "invalid_request" && answer.errorField == "from"
            )
            #expect(try await world.send("GET", "/v1/nowhere", as: member).status == 404)
            let wrong = try await world.send("DELETE", "/v1/apps", as: member)
            #expect(wrong.status == 405 && wrong.header("Allow") == "GET, HEAD, OPTIONS")
        }
    }
}
