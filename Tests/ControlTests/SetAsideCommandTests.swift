import AggregatorCore
import Contracts
import JSON
import Postgres
import TestSupport
import Testing
import Wire

@testable import ControlCore

/// Goal: operators see what could not be used, and what works by now is stored once and leaves the list.
@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct SetAsideCommandTests {
    private static let topic = Topics.eventsDefault

    /// A message that works, one that does not, one of an unknown app and one of rejections.
    private func withMessages(
        _ body: (_ url: String, _ app: TestApp, PostgresConnection) async throws -> Void
    )
        async throws
    {
        try await withDatabase { url, connection in
            let app = try await TestApp.make(connection)
            let good = EventMessageCodec.encode(.valid(app: app.id, [.start(), .end()]))
            let rejections = RejectionMessageCodec.encode(
                RejectionMessage(appID: app.id, receivedAtMs: 1_791_979_200_000, items: [.init(code: "x")])
            )
            let rows: [(String, Int64, String, [UInt8])] = [
                (Self.topic, 5, "unknown_version", good),
                (Self.topic, 6, "not_json", Array("{\u{1b}é\\".utf8)),
                (Self.topic, 7, "unknown_app", []),
                (Topics.rejectionsDefault, 5, "unknown_version", rejections),
            ]
            for (topic, offset, reason, payload) in rows {
                try await connection.execute(
                    """
                    INSERT INTO set_aside_messages (topic, partition, message_offset, reason, payload)
                    VALUES (\(topic), 2, \(offset), \(reason), \(payload)::bytea)
                    """
                )
            }
            try await body(url, app, connection)
        }
    }

    private func left(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.texts(
            "SELECT topic || ':' || message_offset FROM set_aside_messages ORDER BY 1 LIMIT 100"
        )
    }

    @Test func theListNamesAndCountsThem() async throws {
        try await withMessages { url, _, _ in
            let run = await fgctl("set-aside", "list", "--json", database: url)

            #expect(run.members == ["total", "counts", "messages"])
            #expect(run.json { $0["total"]?.int64 } == 4)
            #expect(run.membersOfFirst(in: "counts") == ["reason", "count"])
            #expect(
                run.membersOfFirst(in: "messages") == [
                    "id", "topic", "partition", "offset", "reason", "payload_bytes", "set_aside_at",
                ]
            )
        }
    }

    @Test func theListMayBeOfOneReason() async throws {
        try await withMessages { url, _, _ in
            let run = await fgctl("set-aside", "list", "--reason", "not_json", database: url)

            #expect(run.output.contains("\(Self.topic):2:6\n"))
            #expect(!run.output.contains(":2:5"))
        }
    }

    @Test func showEscapesWhatATerminalWouldObey() async throws {
        try await withMessages { url, _, _ in
            let run = await fgctl("set-aside", "show", "2:6", database: url)

            #expect(run.output.hasSuffix("{\\x1b\\xc3\\xa9\\\\\n"))
        }
    }

    @Test func showIsBounded() async throws {
        try await withMessages { url, _, _ in
            let run = await fgctl("set-aside", "show", "2:6", "--bytes", "1", "--json", database: url)

            #expect(run.json { $0["payload"]?.string } == "{")
            #expect(run.json { $0["payload_bytes"]?.int64 } == 5)
            #expect(run.json { $0["payload_is_cut"]?.bool } == true)
        }
    }

    @Test func whatIsNotThereIsExitCode1() async throws {
        try await withMessages { url, _, _ in
            for words in [["show"], ["redrive"], ["drop"]] {
                let run = await fgctl(["set-aside"] + words + ["2:99"], environment: ["DATABASE_URL": url])
                #expect(run.exitCode == 1)
            }
        }
    }

    @Test func redriveStoresWhatWorksByNowAndKeepsTheRest() async throws {
        try await withMessages { url, app, connection in
            let run = await fgctl("set-aside", "redrive", "--all", "--json", database: url)

            #expect(
                run.output
                    == "{\"stored\":2,\"new_events\":2,\"unusable\":1,\"without_payload\":1}\n"
            )
            let found1 = try await left(connection)
            #expect(found1 == ["\(Self.topic):6", "\(Self.topic):7"])
            let found2 = try await connection.number("SELECT count(*) FROM events LIMIT 1")
            #expect(found2 == 2)
            let found3 = try await connection.number("SELECT count(*) FROM rejections LIMIT 1")
            #expect(found3 == 1)
            let found4 = try await connection.number("SELECT count(*) FROM consumer_offsets LIMIT 1")
            #expect(found4 == 0)
        }
    }

    @Test func redrivingAgainChangesNothing() async throws {
        try await withMessages { url, app, connection in
            let keep = "CREATE TABLE kept AS SELECT * FROM set_aside_messages"
            try await connection.script(keep)
            _ = await fgctl("set-aside", "redrive", "2:5", database: url)
            // As if it had ended between storing and deleting.
            try await connection.script(
                "INSERT INTO set_aside_messages SELECT * FROM kept ON CONFLICT DO NOTHING"
            )

            let run = await fgctl("set-aside", "redrive", "2:5", "--json", database: url)

            #expect(run.json { $0["stored"]?.int64 } == 1)
            #expect(run.json { $0["new_events"]?.int64 } == 0)
            let found5 = try await connection.number("SELECT count(*) FROM events LIMIT 1")
            #expect(found5 == 2)
        }
    }

    @Test func aMessageOfAnAppThatIsGoneStays() async throws {
        try await withMessages { url, _, connection in
            try await connection.script("DELETE FROM apps")

            let run = await fgctl("set-aside", "redrive", "2:5", "--json", database: url)

            #expect(run.json { $0["unusable"]?.int64 } == 1)
            let found6 = try await left(connection)
            #expect(found6.contains("\(Self.topic):5"))
        }
    }

    @Test func redriveMayBeOfOneReason() async throws {
        try await withMessages { url, _, connection in
            _ = await fgctl("set-aside", "redrive", "--all", "--reason", "not_json", database: url)

            let found7 = try await left(connection)
            #expect(found7.count == 4)
        }
    }

    @Test func dropDeletesOneOrAll() async throws {
        try await withMessages { url, _, connection in
            #expect(await fgctl("set-aside", "drop", "2:6", database: url).output == "1 dropped\n")
            #expect(
                await fgctl("set-aside", "drop", "--all", "--reason", "unknown_app", database: url).output
                    == "1 dropped\n"
            )
            #expect(await fgctl("set-aside", "drop", "--all", database: url).output == "2 dropped\n")
            let found8 = try await left(connection)
            #expect(found8.isEmpty)
        }
    }
}

/// Texts and points that need no server.
@Suite struct ReplayArgumentTests {
    @Test(
        arguments: [
            ("0", .offset(0)), ("120", .offset(120)), ("2026-03-01", .time(ms: 1_772_323_200_000)),
            ("2026-03-01T08:00:00Z", .time(ms: 1_772_352_000_000)),
            ("2026-03-01T09:00:00+01:00", .time(ms: 1_772_352_000_000)),
            ("2026-03-01T08:00:00.250Z", .time(ms: 1_772_352_000_250)),
        ] as [(String, TopicPoint)]
    )
    func aPointIsAnOffsetOrATime(text: String, point: TopicPoint) {
        #expect(TopicPoint(text) == point)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "now", "2026-02-30", "99999999999999999999"])
    func anythingElseIsNone(text: String) {
        #expect(TopicPoint(text) == nil)
    }

    @Test(
        arguments: [
            (0, 10, "  0 % [..............................] 0 of 10 messages"),
            (5, 10, " 50 % [###############...............] 5 of 10 messages"),
            (10, 10, "100 % [##############################] 10 of 10 messages"),
            (0, 0, "100 % [##############################] 0 of 0 messages"),
        ] as [(Int64, Int64, String)]
    )
    func theBarShowsTheShare(done: Int64, total: Int64, text: String) {
        #expect(ReplayRun.bar(done: done, of: total) == text)
    }

    @Test(
        arguments: [
            (0, "0 s"), (119.9, "119 s"), (120, "2 min"), (7_200, "2 h"), (172_800, "2 d"), (-5, "0 s"),
            (.infinity, "-"),
        ] as [(Double, String)]
    )
    func aDurationIsShort(seconds: Double, text: String) {
        #expect(LagCommand.duration(seconds) == text)
    }
}
