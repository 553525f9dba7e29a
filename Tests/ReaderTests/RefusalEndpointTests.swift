import Contracts
import Postgres
import TestSupport
import Testing

@testable import ReaderCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct RefusalEndpointTests {
    private static let range = "from=2026-10-01&to=2026-10-01"

    private func expect(
        _ answer: HTTPAnswer,
        _ status: Int,
        _ code: String,
        field: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.status == status, sourceLocation: location)
        #expect(answer.header("Content-Type") == "application/json", sourceLocation: location)
        let error = try (decoded(answer) as ErrorAnswer).error
        #expect(error.code == code, sourceLocation: location)
        #expect(error.details == field.map { ["field": $0] }, sourceLocation: location)
        #expect(!error.message.isEmpty, sourceLocation: location)
        #expect(error.requestId == answer.header("X-Request-Id"), sourceLocation: location)
        #expect(error.requestId.count == 26, sourceLocation: location)
    }

    private func targets(_ app: String) -> [String] {
        [
            "/v1/apps", "/v1/apps/\(app)", "/v1/apps/\(app)/audience/summary?\(Self.range)",
            "/v1/apps/\(app)/audience/timeseries?\(Self.range)&metric=active",
        ]
    }

    // MARK: keys

    @Test func withoutAValidKeyNothingIsTold() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            for id in [app.id.description, UUID128.random().description, "no-uuid"] {
                for target in targets(id) {
                    for key in [nil, "sk_unknown", "pk_\(ReaderWorld.key)", ReaderWorld.key.uppercased()] {
                        let answer = try await world.get(target, key: key)
                        try expect(answer, 401, "unauthenticated")
                        #expect(answer.header("WWW-Authenticate") == "Bearer")
                    }
                }
            }
        }
    }

    @Test func keyInTheQueryIsNoKey() async throws {
        try await withReader { world in
            try expect(
                try await world.get("/v1/apps?key=\(ReaderWorld.key)", key: nil),
                401,
                "unauthenticated"
            )
            try expect(
                try await world.get("/v1/apps?api_key=\(ReaderWorld.key)"),
                400,
                "invalid_request",
                field: "api_key"
            )
        }
    }

    @Test func revokedKeyIsRefusedOnTheVeryNextRequest() async throws {
        try await withReader { world in
            for _ in 0..<5 { #expect(try await world.get("/v1/apps").status == 200) }
            try await world.connection.execute("UPDATE api_keys SET revoked_at = now()")
            for _ in 0..<5 { try expect(try await world.get("/v1/apps"), 401, "unauthenticated") }
        }
    }

    @Test func keyThatIsMadeAfterItWasRefusedWorksAtOnce() async throws {
        try await withReader { world in
            #expect(try await world.get("/v1/apps", key: "sk_later").status == 401)
            try await world.makeKey("sk_later")
            #expect(try await world.get("/v1/apps", key: "sk_later").status == 200)
        }
    }

    @Test func keyThatMayOnlyDeleteReadsNothing() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.makeKey("sk_deletes", scopes: ["delete"])
            for target in targets(app.id.description) + targets(UUID128.random().description) {
                try expect(try await world.get(target, key: "sk_deletes"), 403, "insufficient_scope")
            }
        }
    }

    @Test func keyOfBothScopesReads() async throws {
        try await withReader { world in
            try await world.makeKey("sk_both", scopes: ["read", "delete"])
            #expect(try await world.get("/v1/apps", key: "sk_both").status == 200)
        }
    }

    // MARK: parameters

    @Test func parameterThatIsWrongIsNamed() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let summary = "/v1/apps/\(app.id)/audience/summary?"
            for (target, field) in [
                ("/v1/apps?include_archived=1", "include_archived"), ("/v1/apps?platfrom=ios", "platfrom"),
                ("/v1/apps/\(app.id)?include_archived=true", "include_archived"), (summary, "from"),
                (summary + "from=2026-02-29&to=2026-03-01", "from"), (summary + "from=2026-03-01", "to"),
                (summary + "from=2026-03-02&to=2026-03-01", "to"),
                (summary + Self.range + "&from=2026-10-01", "from"),
                (summary + Self.range + "&platfrom=ios", "platfrom"),
                (summary + Self.range + "&platform=nokia", "platform"),
                (summary + Self.range + "&country=%zz", "query"),
                (summary + Self.range + "&country=%00", "query"),
                ("/v1/apps/\(app.id)/audience/timeseries?" + Self.range, "metric"),
            ] {
                try expect(try await world.get(target), 400, "invalid_request", field: field)
            }
        }
    }

    @Test func rangeOf366DaysIsServedAndOf367Refused() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection, timezone: "Europe/Berlin")
            let summary = "/v1/apps/\(app.id)/audience/summary?from=2026-01-01&to="
            #expect(try await world.get(summary + "2027-01-01").status == 200)
            try expect(try await world.get(summary + "2027-01-02"), 400, "range_too_large", field: "to")
        }
    }

    @Test func valueThatIsMadeForSQLIsAValue() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            for value in ["'%20OR%201=1--", "%25", "_", "%22", "%5C", "%F0%9F%98%80", "%EF%BC%A6"] {
                let answer = try await world.summary(app, Self.range + "&country=\(value)&os_name=\(value)")
                #expect(answer.figures.active == 0)
            }
        }
    }

    // MARK: paths and methods

    @Test func pathWithoutAnOperationIsNotFound() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            for target in [
                "/", "/v1", "/v2/apps", "/v1/apps/\(app.id)/audience",
                "/v1/apps/\(app.id)/audience%2Fsummary",
                "/v1/apps/../apps/\(app.id)/x",
            ] {
                try expect(try await world.get(target), 404, "not_found")
            }
            try expect(try await world.get("/v1/apps/%zz"), 400, "invalid_request", field: "path")
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "BREW"])
    func otherMethodsAreRefusedWithThoseThatAreAllowed(method: String) async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            for target in targets(app.id.description) {
                let answer = try await world.get(target, method: method)
                try expect(answer, 405, "method_not_allowed")
                #expect(answer.header("Allow") == "GET, HEAD, OPTIONS")
            }
        }
    }

    @Test func optionsAreTold() async throws {
        try await withReader { world in
            let answer = try await world.get("/v1/apps", key: nil, method: "OPTIONS")
            #expect(answer.status == 204)
            #expect(answer.header("Allow") == "GET, HEAD, OPTIONS")
            #expect(answer.body.isEmpty)
        }
    }

    @Test func headIsGetWithoutTheBody() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            for target in ["/v1/apps", "/v1/apps/\(app.id)", "/v1/apps/\(UUID128.zero)", "/nowhere"] {
                let (get, head) = (try await world.get(target), try await world.get(target, method: "HEAD"))
                #expect(head.status == get.status)
                #expect(head.header("Content-Length") == "\(get.body.utf8.count)")
                #expect(head.header("Content-Type") == get.header("Content-Type"))
                #expect(head.body.isEmpty)
            }
            #expect(try await world.get("/v1/apps", key: nil, method: "HEAD").status == 401)
        }
    }

    @Test func messageIsInTheLanguageOfTheReader() async throws {
        try await withReader { world in
            let russian = try await world.get(
                "/v1/apps",
                key: nil,
                headers: [("Accept-Language", "ru-RU,en;q=0.5")]
            )
            #expect(try (decoded(russian) as ErrorAnswer).error.message.hasPrefix("Передайте"))
            let english = try await world.get("/v1/apps", key: nil)
            #expect(try (decoded(english) as ErrorAnswer).error.message.hasPrefix("Send"))
        }
    }

    @Test func everyAnswerHasItsOwnRequestID() async throws {
        try await withReader { world in
            let first = try await world.get("/v1/apps").header("X-Request-Id")
            let second = try await world.get("/v1/apps").header("X-Request-Id")
            #expect(first?.count == 26)
            #expect(first != second)
        }
    }
}

/// A reader that cannot reach Postgres.
@Suite(.serialized) struct UnreachableDatabaseTests {
    @Test func keyCannotBeCheckedSoNoOneIsTurnedAway() async throws {
        try await withReadServer(url: unreachableDatabaseURL) { port in
            for target in ["/v1/apps", "/v1/apps/\(UUID128.random())", "/v1/apps/x/audience/summary"] {
                let answer = try await HTTPClient.send(
                    "GET",
                    target,
                    port: port,
                    headers: [("Authorization", "Bearer sk_any")]
                )
                #expect(answer.status == 503)
                #expect(answer.header("Retry-After") == "5")
                let error = try (decoded(answer) as ErrorAnswer).error
                #expect(error.code == "storage_unavailable")
                #expect(error.requestId == answer.header("X-Request-Id"))
                #expect(!answer.body.contains("127.0.0.1") && !answer.body.contains("secret"))
            }
        }
    }

    @Test func whatNeedsNoDatabaseIsAnsweredAsEver() async throws {
        try await withReadServer(url: unreachableDatabaseURL) { port in
            for (method, target, status) in [
                ("GET", "/v1/apps", 401), ("GET", "/nowhere", 404), ("POST", "/v1/apps", 405),
            ] {
                let answer = try await HTTPClient.send(method, target, port: port)
                #expect(answer.status == status)
            }
        }
    }

    @Test func bodyThatIsTooLargeIsRefusedInOurWords() async throws {
        try await withReadServer(url: unreachableDatabaseURL) { port in
            let body = String(repeating: "x", count: 65_537)
            let answer = try await HTTPClient.send("POST", "/v1/apps", port: port, body: body)
            #expect(answer.status == 413)
            #expect(try (decoded(answer) as ErrorAnswer).error.code == "bad_request")
        }
    }
}
