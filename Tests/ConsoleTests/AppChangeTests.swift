import AggregatorCore
import Contracts
import Postgres
import Schema
import TestSupport
import Testing

@testable import ConsoleCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct AppChangeTests {
    private let dayMs: Int64 = 86_400_000

    /// Stores a session on each of some days at 20:00 UTC, which is the next day in Tokyo, and closes them.
    private func fill(_ world: ConsoleWorld, _ app: JSONNode, days: Int, user: String? = nil) async throws {
        let id = try #require(app["id"].text.flatMap { UUID128($0) })
        let store = try await EventStore(connection: world.connection, topic: "events")
        for day in 0..<Int64(days) {
            let start = EventMessage.Event.start(
                at: EventMessage.Event.defaultMs + day * dayMs + 8 * 3_600_000,
                user: user
            )
            let message = EventMessage.valid(app: id, [start])
            _ = try await store.store(
                [DecodedMessage(partition: 0, offset: 0, content: .events(message))],
                progress: []
            )
        }
        _ = try await ClosingRun(closer: DayCloser(connection: world.connection)).run()
    }

    private func id(_ app: JSONNode) -> String { app["id"].text ?? "" }

    // MARK: Zone

    @Test func zoneIsPreviewed() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)
            try await fill(world, app, days: 3)
            let path = "apps/\(id(app))/timezone"
            let plain = try await world.done("GET", path, as: member)
            #expect(plain["timezone"].text == "UTC" && plain["change"].isNull && plain["preview"].isNull)
            let tokyo = try await world.done("GET", path + "?preview=Asia/Tokyo", as: member)["preview"]
            #expect(tokyo["timezone"].text == "Asia/Tokyo" && tokyo["days"].number == 3)
            #expect(tokyo["first_day"].text == "2026-10-15" && tokyo["last_day"].text == "2026-10-17")
            let same = try await world.done("GET", path + "?preview=UTC", as: member)["preview"]
            #expect(same["days"].number == 0 && same["first_day"].isNull)
            let answer = try await world.call("GET", path + "?preview=Mars/Olympus", as: member)
            #expect(answer.status == 400 && answer.errorField == "preview")
        }
    }

    @Test func zoneIsChangedAndClosingSwitches() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)
            try await fill(world, app, days: 2)
            let path = "apps/\(id(app))/timezone"
            let begun = try await world.done(
                "PUT",
                path,
                #"{"timezone": "Asia/Tokyo"}"#,
                as: member,
                status: 202
            )
            #expect(begun["timezone"].text == "UTC" && begun["preview"].isNull)
            let change = begun["change"]
            #expect(change["timezone"].text == "Asia/Tokyo" && change["started_at"].text != nil)
            #expect(change["days_done"].number == 0 && change["days_total"].number == 2)
            #expect(change["error"].isNull)
            _ = try await ClosingRun(closer: DayCloser(connection: world.connection)).run()
            _ = try await ZoneChanges.finishAll(world.connection)
            let after = try await world.done("GET", path, as: member)
            #expect(after["timezone"].text == "Asia/Tokyo" && after["change"].isNull)
            #expect(try await world.audit(member)[0] == "timezone_changed: UTC to Asia/Tokyo")
        }
    }

    @Test func openChangeGoesOnWhenAskedForAgainAndStandsInTheWayOfAThird() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)
            try await fill(world, app, days: 1)
            let path = "apps/\(id(app))/timezone"
            let put = { (zone: String) in
                try await world.call("PUT", path, #"{"timezone": "\#(zone)"}"#, as: member)
            }
            let first = try await put("Asia/Tokyo").json["change"]
            let again = try await put("Asia/Tokyo")
            #expect(
                again.status == 202 && again.json["change"]["started_at"].text == first["started_at"].text
            )
            let third = try await put("Europe/Berlin")
            #expect(third.status == 409 && third.errorCode == "conflict")
            #expect(third.errorReason?.contains("Asia/Tokyo is under way") == true)
            let calledOff = try await put("UTC")
            #expect(calledOff.status == 202 && calledOff.json["change"].isNull)
            let audit = try await world.audit(member)
            #expect(audit[0] == "timezone_change_called_off: UTC to Asia/Tokyo")
            #expect(audit.count { $0.hasPrefix("timezone_changed") } == 1)
        }
    }

    @Test func unknownZoneIsRefused() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)
            let answer = try await world.call(
                "PUT",
                "apps/\(id(app))/timezone",
                #"{"timezone": "utc"}"#,
                as: member
            )
            #expect(answer.status == 400 && answer.errorField == "timezone")
        }
    }

    // MARK: Merging

    @Test func mergeIsPreviewedWithPeopleBothHave() async throws {
        try await withMember { world, member in
            let (target, source) = (
                try await world.makeApp("Into", as: member), try await world.makeApp("From", as: member)
            )
            try await fill(world, target, days: 1, user: "42")
            try await fill(world, source, days: 3, user: "42")
            let path = "apps/\(id(target))/merge-preview?source=\(id(source))"
            let plan = try await world.done("GET", path, as: member)
            #expect(plan["source"]["name"].text == "From" && plan["source"]["id"].text == id(source))
            #expect(plan["events"].number == 3 && plan["installs"].number == 3)
            #expect(plan["users"].number == 1 && plan["shared_users"].number == 1)
            #expect(plan["write_keys"].number == 2 && plan["days"].number == 3)
        }
    }

    @Test func mergeIsBegunShownAndCarriedOut() async throws {
        try await withMember { world, member in
            let (target, source) = (
                try await world.makeApp("Into", as: member), try await world.makeApp("From", as: member)
            )
            try await fill(world, source, days: 2)
            let body = #"{"source_app_id": "\#(id(source))", "confirm": "From"}"#
            let begun = try await world.done(
                "POST",
                "apps/\(id(target))/merge",
                body,
                as: member,
                status: 202
            )
            let running = try await world.done("GET", "changes", as: member)["items"].list
            #expect(running.count == 1)
            for change in [begun["change"], running[0]] {
                #expect(change["app_id"].text == id(source) && change["app_name"].text == "From")
                #expect(change["kind"].text == "merge" && change["target_app_id"].text == id(target))
                #expect(change["rows_done"].number == 0 && change["error"].isNull)
            }
            let apps = try await world.done("GET", "apps", as: member)["items"].list
            #expect(apps.map { $0["name"].text } == ["Into"])
            let connection = world.connection
            let run = AppChangesRun(connection: connection) {
                try await EventStore(connection: connection, topic: "events")
            }
            #expect(try await run.run().eventsMoved == 2)
            #expect(try await world.done("GET", "changes", as: member)["items"].list.isEmpty)
            let keys = try await world.done("GET", "apps/\(id(target))/write-keys", as: member)["items"].list
            #expect(keys.count == 4)
            #expect(try await world.audit(member)[0] == "apps_merged: took in From")
        }
    }

    @Test(arguments: ["from", "From ", "", "Fr\u{043E}m"])
    func mergeNeedsTheSourcesName(name: String) async throws {
        try await withMember { world, member in
            let (target, source) = (
                try await world.makeApp("Into", as: member), try await world.makeApp("From", as: member)
            )
            let body = #"{"source_app_id": "\#(id(source))", "confirm": "\#(name)"}"#
            let answer = try await world.call("POST", "apps/\(id(target))/merge", body, as: member)
            #expect(answer.status == 400 && answer.errorField == "confirm")
            #expect(try await world.done("GET", "changes", as: member)["items"].list.isEmpty)
        }
    }

    @Test func whatStandsInTheWayOfAMergeIsSaid() async throws {
        try await withMember { world, member in
            let (target, source) = (
                try await world.makeApp("Into", as: member), try await world.makeApp("From", as: member)
            )
            let path = "apps/\(id(target))/merge"
            let body = #"{"source_app_id": "\#(id(source))", "confirm": "From"}"#
            let itself = #"{"source_app_id": "\#(id(target))", "confirm": "Into"}"#
            func refused(_ body: String, _ reason: String) async throws {
                let answer = try await world.call("POST", path, body, as: member)
                #expect(answer.status == 409 && answer.errorCode == "conflict", "\(answer.body)")
                #expect(answer.errorReason?.contains(reason) == true, "\(answer.body)")
            }
            try await refused(itself, "into itself")
            _ = try await world.done("POST", "apps/\(id(source))/archive", as: member)
            try await refused(body, "source app is archived")
            _ = try await world.done("POST", "apps/\(id(source))/restore", as: member)
            for (zone, status) in [("Asia/Tokyo", 202), ("UTC", 200)] {
                let zonePath = "apps/\(id(source))/timezone"
                let answer = try await world.call("PUT", zonePath, #"{"timezone": "\#(zone)"}"#, as: member)
                #expect(answer.status == 202 || answer.status == status, "\(answer.body)")
                if status == 202 { try await refused(body, "changing its time zone") }
            }
            let erasure = try await world.send(
                "POST",
                "/v1/apps/\(id(source))/deletion-requests",
                #"{"subject_type": "user", "subject_value": "42"}"#,
                as: member
            )
            #expect(erasure.status == 202)
            try await refused(body, "deletion request waits or runs")
            #expect(try await world.audit(member).contains { $0.hasPrefix("apps_merged") } == false)
            let preview = "apps/\(id(target))/merge-preview"
            let same = try await world.call("GET", preview + "?source=\(id(target))", as: member)
            #expect(same.status == 409)
            #expect(try await world.call("GET", preview, as: member).errorField == "source")
        }
    }

    @Test func zoneOfAMergesTargetWaitsForTheMerge() async throws {
        try await withMember { world, member in
            let (target, source) = (
                try await world.makeApp("Into", as: member), try await world.makeApp("From", as: member)
            )
            let body = #"{"source_app_id": "\#(id(source))", "confirm": "From"}"#
            _ = try await world.done("POST", "apps/\(id(target))/merge", body, as: member, status: 202)
            let answer = try await world.call(
                "PUT",
                "apps/\(id(target))/timezone",
                #"{"timezone": "Asia/Tokyo"}"#,
                as: member
            )
            #expect(answer.status == 409 && answer.errorReason?.contains("part of a merge") == true)
        }
    }

    // MARK: Deletion

    @Test func appIsDeletedByItsName() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp("Größe", as: member)
            try await fill(world, app, days: 1)
            for name in ["größe", "Größ", "Gro\u{308}ße"] {
                let body = #"{"confirm": "\#(name)"}"#
                let answer = try await world.call("DELETE", "apps/\(id(app))", body, as: member)
                #expect(answer.status == 400 && answer.errorField == "confirm")
            }
            let begun = try await world.done(
                "DELETE",
                "apps/\(id(app))",
                #"{"confirm": "Größe"}"#,
                as: member,
                status: 202
            )
            #expect(begun["change"]["kind"].text == "deletion" && begun["change"]["target_app_id"].isNull)
            #expect(try await world.call("GET", "apps/\(id(app))", as: member).status == 404)
            #expect(try await world.send("GET", "/v1/apps/\(id(app))", as: member).status == 404)
            let connection = world.connection
            _ = try await AppChangesRun(connection: connection) {
                try await EventStore(connection: connection, topic: "events")
            }.run()
            #expect(try await world.done("GET", "changes", as: member)["items"].list.isEmpty)
            #expect(try await world.connection.texts("SELECT name FROM apps LIMIT 1").isEmpty)
            // What was done stays, under the name the app had.
            let entry = try await world.done("GET", "audit?app_id=\(id(app))", as: member)["items"].list[0]
            #expect(entry["action"].text == "app_deleted" && entry["app_name"].text == "Größe")
        }
    }

    @Test func deletionWaitsForAnErasure() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)
            let subject = #"{"subject_type": "user", "subject_value": "42"}"#
            let target = "/v1/apps/\(id(app))/deletion-requests"
            #expect(try await world.send("POST", target, subject, as: member).status == 202)
            let answer = try await world.call(
                "DELETE",
                "apps/\(id(app))",
                #"{"confirm": "Chess"}"#,
                as: member
            )
            #expect(answer.status == 409 && answer.errorReason?.contains("deletion request") == true)
        }
    }

    // MARK: Days

    @Test func revisionsOfDaysAreToldTheNewestFirst() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)
            try await fill(world, app, days: 3)
            try await fill(world, app, days: 1)
            let path = "apps/\(id(app))/day-revisions"
            let all = try await world.done("GET", path, as: member)["items"].list
            #expect(all.count == 3)
            #expect(all[0]["day"].text == "2026-10-14" && all[0]["revision"].number == 2)
            #expect(all[0]["cause"].text == "events" && all[0]["closed_at"].text != nil)
            #expect(try await world.done("GET", path + "?limit=1", as: member)["items"].list.count == 1)
            let others = try await world.done("GET", path + "?environment=development", as: member)
            #expect(others["items"].list.isEmpty)
        }
    }

    @Test(arguments: ["limit=0", "limit=501", "limit=x", "limit=+1", "limit=", "environment=prod"])
    func revisionsOutOfBoundsAreRefused(query: String) async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)
            let answer = try await world.call("GET", "apps/\(id(app))/day-revisions?\(query)", as: member)
            #expect(answer.status == 400)
            #expect(answer.errorField == String(query.prefix { $0 != "=" }))
        }
    }
}
