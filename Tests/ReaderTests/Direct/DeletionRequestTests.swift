import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

struct DeletionAnswer: Decodable, Equatable {
    var id: String
    var appId: String
    var subjectType: String
    var subjectValue: String?
    var status: String
    var source: String
    var requestedAt: String
    var startedAt: String?
    var completedAt: String?
    var error: String?
}

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct DeletionRequestTests {
    private static let key = "sk_deletes"

    private func with(_ body: (ReaderWorld, TestApp) async throws -> Void) async throws {
        let clock = ManualWallClock(nowMs: utcMs("2026-10-14", hours: 9) + 42)
        try await withReader(clock: clock) { world in
            try await world.makeKey(Self.key, scopes: ["delete"])
            try await body(world, try await TestApp.make(world.connection))
        }
    }

    private func target(_ app: TestApp, _ id: String? = nil) -> String {
        "/v1/apps/\(app.id)/deletion-requests" + (id.map { "/" + $0 } ?? "")
    }

    private func create(_ world: ReaderWorld, _ app: TestApp, _ type: String = "user", _ value: String = "42")
        async throws -> DeletionAnswer
    {
        let body = #"{"subject_type": "\#(type)", "subject_value": "\#(value)"}"#
        let answer = try await world.post(target(app), body, key: Self.key)
        try #require(answer.status == 202, "\(answer.body)")
        #expect(answer.header("X-Request-Id")?.count == 26)
        return try decoded(answer)
    }

    @Test func requestIsAcceptedAndTold() async throws {
        try await with { world, app in
            let made = try await create(world, app, "user", "acct_8f14e45f")
            #expect(
                made
                    == DeletionAnswer(
                        id: made.id,
                        appId: app.id.description,
                        subjectType: "user",
                        subjectValue: "acct_8f14e45f",
                        status: "pending",
                        source: "api",
                        requestedAt: "2026-10-14T09:00:00.042Z"
                    )
            )
            #expect(UUID128(made.id) != nil)
            for key in [Self.key, ReaderWorld.key] {
                let answer = try await world.get(target(app, made.id), key: key)
                #expect(answer.status == 200)
                #expect(try decoded(answer) == made)
            }
        }
    }

    @Test func bodyHasEveryMemberOfTheContract() async throws {
        try await with { world, app in
            let answer = try await world.post(
                target(app),
                #"{"subject_type":"user","subject_value":"42"}"#,
                key: Self.key
            )
            let id = try (decoded(answer) as DeletionAnswer).id
            #expect(
                answer.body
                    == #"{"id":"\#(id)","app_id":"\#(app.id)","subject_type":"user","subject_value":"42","#
                    + #""status":"pending","source":"api","requested_at":"2026-10-14T09:00:00.042Z","#
                    + #""started_at":null,"completed_at":null,"error":null}"#
            )
        }
    }

    @Test func openRequestIsReturnedAgainAndADoneOneIsNot() async throws {
        try await with { world, app in
            let first = try await create(world, app)
            #expect(try await create(world, app) == first)
            try await world.connection.execute(
                "UPDATE deletion_requests SET status = 'running', started_at = now()"
            )
            #expect(try await create(world, app).id == first.id)
            try await world.connection.execute(
                "UPDATE deletion_requests SET status = 'done', completed_at = now(), subject_value = NULL"
            )
            let done: DeletionAnswer = try await world.read(target(app, first.id))
            #expect(done.status == "done")
            #expect(done.subjectValue == nil)
            #expect(try await create(world, app).id != first.id)
        }
    }

    @Test func subjectsThatLookAlikeAreApart() async throws {
        try await with { world, app in
            let other = try await TestApp.make(world.connection)
            var ids: Set<String> = []
            for value in ["a/b", "a%2Fb", "A/B", "e\\u0301", "\\u00e9", " a/b"] {
                ids.insert(try await create(world, app, "user", value).id)
            }
            ids.insert(try await create(world, other, "user", "a/b").id)
            #expect(ids.count == 7)
            #expect(try await create(world, app, "user", "a%2Fb").subjectValue == "a%2Fb")
        }
    }

    @Test func installIsNormalisedToLowerCase() async throws {
        try await with { world, app in
            let id = "6F1C2A9E-3B7D-4C55-8A2E-0D9B1F7E4C21"
            let made = try await create(world, app, "install", id)
            #expect(made.subjectValue == id.lowercased())
            #expect(try await create(world, app, "install", id.lowercased()).id == made.id)
        }
    }

    @Test func personalAndUnknownIDsMayBeNamed() async throws {
        try await with { world, app in
            for value in ["jane@example.com", String(repeating: "é", count: 128)] {
                let made = try await create(world, app, "user", value)
                #expect(made.status == "pending")
            }
        }
    }

    @Test(arguments: [
        ("", "body"), ("[]", "body"), ("{", "body"), ("null", "body"), ("{}", "subject_type"),
        (#"{"subject_type":"app","subject_value":"1"}"#, "subject_type"),
        (#"{"subject_type":"User","subject_value":"1"}"#, "subject_type"),
        (#"{"subject_type":1,"subject_value":"1"}"#, "subject_type"),
        (#"{"subject_type":"user"}"#, "subject_value"),
        (#"{"subject_type":"user","subject_value":42}"#, "subject_value"),
        (#"{"subject_type":"user","subject_value":null}"#, "subject_value"),
        (#"{"subject_type":"user","subject_value":""}"#, "subject_value"),
        (#"{"subject_type":"user","subject_value":"a\u0000b"}"#, "subject_value"),
        (#"{"subject_type":"user","subject_value":"a\nb"}"#, "subject_value"),
        (#"{"subject_type":"install","subject_value":"42"}"#, "subject_value"),
        (
            #"{"subject_type":"install","subject_value":"00000000-0000-0000-0000-000000000000"}"#,
            "subject_value"
        ),
        (#"{"subject_type":"user","subject_value":"1","subject_value":"2"}"#, "subject_value"),
        (#"{"subject_type":"user","subject_type":"user","subject_value":"1"}"#, "subject_type"),
    ])
    func bodyThatIsWrongIsNamed(body: String, field: String) async throws {
        try await with { world, app in
            let answer = try await world.post(target(app), body, key: Self.key)
            #expect(answer.status == 400)
            let error = try (decoded(answer) as ErrorAnswer).error
            #expect(error.code == "invalid_request")
            #expect(error.details == ["field": field])
            #expect(try await world.connection.number("SELECT count(*) FROM deletion_requests LIMIT 1") == 0)
        }
    }

    @Test func userIDOf129ScalarsIsRefused() async throws {
        try await with { world, app in
            let value = String(repeating: "é", count: 129)
            let body = #"{"subject_type":"user","subject_value":"\#(value)"}"#
            let answer = try await world.post(target(app), body, key: Self.key)
            #expect(answer.status == 400)
        }
    }

    @Test func scopesAreKept() async throws {
        try await with { world, app in
            let body = #"{"subject_type":"user","subject_value":"42"}"#
            #expect(try await world.post(target(app), body).status == 403)
            #expect(try await world.post(target(app), body, key: nil).status == 401)
            let made = try await create(world, app)
            #expect(try await world.get(target(app, made.id), key: nil).status == 401)
            try await world.makeKey("sk_both", scopes: ["read", "delete"])
            #expect(try await world.post(target(app), body, key: "sk_both").status == 202)
            for rest in ["realtime", "profiles?user_id=42", "profiles/u:42", "integration/health"] {
                #expect(try await world.get("/v1/apps/\(app.id)/\(rest)", key: Self.key).status == 403)
            }
            #expect(try await world.get("/v1/portfolio", key: Self.key).status == 403)
        }
    }

    @Test func foreignAppsAndRequestsAreNotFound() async throws {
        try await with { world, app in
            let other = try await TestApp.make(world.connection)
            try await world.makeKey("sk_bound", scopes: ["delete"], app: other)
            let body = #"{"subject_type":"user","subject_value":"42"}"#
            let foreign = try await world.post(target(app), body, key: "sk_bound")
            #expect(foreign.status == 404)
            #expect(try (decoded(foreign) as ErrorAnswer).error.code == "app_not_found")
            let made = try await create(world, app)
            #expect(try await world.get(target(app, made.id), key: "sk_bound").status == 404)
            for id in [made.id, UUID128.random().description, "42"] {
                let answer = try await world.get(target(other, id))
                #expect(answer.status == 404)
                #expect(try (decoded(answer) as ErrorAnswer).error.code == "not_found")
            }
        }
    }

    @Test func methodsAreTold() async throws {
        try await with { world, app in
            for method in ["GET", "PUT", "DELETE"] {
                let answer = try await world.get(target(app), method: method)
                #expect(answer.status == 405)
                #expect(answer.header("Allow") == "POST, OPTIONS")
            }
            let options = try await world.get(target(app), key: nil, method: "OPTIONS")
            #expect(options.header("Allow") == "POST, OPTIONS")
            let found = try await world.get(target(app, UUID128.random().description), method: "DELETE")
            #expect(found.header("Allow") == "GET, HEAD, OPTIONS")
            #expect(try await world.post(target(app) + "?x=1", "{}", key: Self.key).status == 400)
        }
    }
}
