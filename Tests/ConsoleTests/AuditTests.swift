import Postgres
import TestSupport
import Testing

@testable import ConsoleCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct AuditTests {
    @Test func entryTellsWhoWhatWhenAndWhere() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp("Chess", as: member)
            let entry = try await world.done("GET", "audit", as: member)["items"].list[0]
            #expect(entry["email"].text == ConsoleWorld.email && entry["action"].text == "app_created")
            #expect(entry["app_id"].text == app["id"].text && entry["app_name"].text == "Chess")
            #expect(entry["at"].text?.hasSuffix("Z") == true)
        }
    }

    @Test func logIsReadInPagesAndByApp() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)["id"].text ?? ""
            try await world.connection.script(
                """
                INSERT INTO audit_log (account_email, action, details)
                SELECT 'x@y.example', 'signed_in', n::text FROM generate_series(1, 250) n
                """
            )
            var seen: [String] = []
            var before: String?
            repeat {
                let path = "audit" + (before.map { "?before=\($0)" } ?? "")
                let page = try await world.done("GET", path, as: member)
                seen += page["items"].list.compactMap { $0["details"].text }
                before = page["next_before"].text
            } while before != nil
            #expect(seen == (1...250).reversed().map(String.init) + ["ios; UTC"])
            let own = try await world.done("GET", "audit?app_id=\(app)", as: member)
            #expect(own["items"].list.count == 1 && own["next_before"].isNull)
        }
    }

    @Test(arguments: ["before=0", "before=-1", "before=x", "before=99999999999999999999", "app_id=x"])
    func pageOutOfBoundsIsRefused(query: String) async throws {
        try await withMember { world, member in
            let answer = try await world.call("GET", "audit?\(query)", as: member)
            #expect(answer.status == 400 && answer.errorField == String(query.prefix { $0 != "=" }))
        }
    }

    /// Who is to be forgotten must not be remembered here.
    @Test func deletionRequestIsNotedWithoutItsSubject() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)["id"].text ?? ""
            let answer = try await world.send(
                "POST",
                "/v1/apps/\(app)/deletion-requests",
                #"{"subject_type": "user", "subject_value": "acct_8f14e45f"}"#,
                as: member
            )
            #expect(answer.status == 202 && answer.json["source"].text == "console")
            let entry = try await world.done("GET", "audit", as: member)["items"].list[0]
            #expect(entry["action"].text == "deletion_requested" && entry["app_id"].text == app)
            #expect(entry["details"].text == answer.json["id"].text)
            #expect(try await world.call("GET", "audit", as: member).body.contains("acct_8f14e45f") == false)
        }
    }

    @Test func refusedDeletionRequestIsNotNoted() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)["id"].text ?? ""
            let target = "/v1/apps/\(app)/deletion-requests"
            #expect(try await world.send("POST", target, "{}", as: member).status == 400)
            #expect(try await world.audit(member).contains { $0.hasPrefix("deletion_requested") } == false)
        }
    }

    /// The role may add and read; nobody edits what was done.
    @Test(arguments: ["UPDATE audit_log SET details = NULL", "DELETE FROM audit_log", "TRUNCATE audit_log"])
    func logCannotBeEdited(statement: String) async throws {
        try await withMember { world, _ in
            await #expect(throws: PostgresError.self) {
                try await world.pool.withConnection { try await $0.script(statement) }
            }
        }
    }
}
