import Contracts
import HTTP
import Postgres
import TestSupport
import Testing

@testable import ConsoleCore

/// Runs the console's pages over whatever the URL leads to.
private func withConsole(url: String, _ body: (_ port: Int) async throws -> Void) async throws {
    let pool = PostgresPool(url: url, applicationName: "console-tests", connectionsMax: 2)
    let configuration = HTTPServerConfiguration(address: "127.0.0.1", port: 0)
    let server = try HTTPServer(configuration, handler: ConsoleHandler(pool: pool))
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(server.port)) } catch { outcome = .failure(error) }
    await server.drain(ms: 5_000)
    pool.close()
    try outcome.get()
}

private func expectSafeHeaders(
    _ answer: HTTPAnswer,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(
        answer.header("Content-Security-Policy")
            == "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
        sourceLocation: location
    )
    #expect(answer.header("X-Content-Type-Options") == "nosniff", sourceLocation: location)
    #expect(answer.header("Referrer-Policy") == "no-referrer", sourceLocation: location)
    #expect(answer.header("Cache-Control") == "no-store", sourceLocation: location)
}

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct ConsoleWithDatabaseTests {
    @Test func pageTellsWhatRunsAndHowMuchWaits() async throws {
        try await withDatabase { url, connection in
            let app = try await TestApp.make(connection)
            _ = try await TestApp.make(connection)
            // The same day twice is one day that waits; another environment's is another.
            for environment in [0, 0, 1] {
                try await connection.execute(
                    """
                    INSERT INTO dirty_days (app_no, environment, day, cause)
                    VALUES (\(app.number), \(environment), '2026-10-01', 'events')
                    """
                )
            }
            try await withConsole(url: TestSupport.url(url, actingAs: "foreground_console")) { port in
                let answer = try await HTTPClient.send("GET", "/", port: port)
                #expect(answer.status == 200)
                #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
                expectSafeHeaders(answer)
                #expect(answer.body.contains("<span class=\"state ready\">ready</span>"))
                #expect(answer.body.contains("<dt>Apps</dt><dd>2</dd>"))
                #expect(answer.body.contains("<dt>Days waiting to be closed</dt><dd>2</dd>"))
            }
        }
    }

    @Test func pageTellsNothingOfAnyAppOrKey() async throws {
        try await withDatabase { url, connection in
            let app = try await TestApp.make(connection, timezone: "Europe/Moscow")
            try await connection.script("UPDATE apps SET name = 'Tell nobody'")
            try await connection.execute(
                """
                INSERT INTO write_keys (key_id, app_id, key) VALUES (\(app.id)::uuid, \(app.id)::uuid, 'pk_public')
                """
            )
            try await connection.execute(
                """
                INSERT INTO api_keys (key_id, key_hash, prefix, scopes)
                VALUES (\(app.id)::uuid, 'hash', 'sk_prefix', '{read}')
                """
            )
            try await withConsole(url: TestSupport.url(url, actingAs: "foreground_console")) { port in
                for target in ["/", "/style.css", "/apps", "/?app=\(app.id)"] {
                    let body = try await HTTPClient.send("GET", target, port: port).body
                    for secret in ["Tell nobody", app.id.description, "Moscow", "pk_", "sk_", "postgres:"] {
                        #expect(!body.contains(secret), "\(target) shows \(secret)")
                    }
                }
            }
        }
    }

    @Test func databaseThatWasNeverMigratedIsUnavailable() async throws {
        try await withEmptyDatabase { url, _ in
            try await withConsole(url: url) { port in
                let answer = try await HTTPClient.send("GET", "/", port: port)
                #expect(answer.status == 200)
                #expect(answer.body.contains("<span class=\"state unavailable\">unavailable</span>"))
                #expect(!answer.body.contains("relation"))
            }
        }
    }
}

@Suite(.serialized) struct ConsoleWithoutDatabaseTests {
    @Test func pageSaysThatPostgresIsUnavailableAndNotWhy() async throws {
        try await withConsole(url: unreachableDatabaseURL) { port in
            let answer = try await HTTPClient.send("GET", "/", port: port)
            #expect(answer.status == 200)
            expectSafeHeaders(answer)
            #expect(answer.body.contains("<span class=\"state unavailable\">unavailable</span>"))
            #expect(answer.body.contains("<dt>Apps</dt><dd>unknown</dd>"))
            #expect(answer.body.contains("<dt>Days waiting to be closed</dt><dd>unknown</dd>"))
            for secret in ["127.0.0.1", "nobody", "secret", "nowhere", "refused"] {
                #expect(!answer.body.contains(secret))
            }
        }
    }

    @Test func stylesNeedNoDatabase() async throws {
        try await withConsole(url: unreachableDatabaseURL) { port in
            let answer = try await HTTPClient.send("GET", "/style.css", port: port)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "text/css; charset=utf-8")
            #expect(answer.body.contains(".state.ready"))
            expectSafeHeaders(answer)
        }
    }

    @Test func queryChangesNothing() async throws {
        try await withConsole(url: unreachableDatabaseURL) { port in
            let plain = try await HTTPClient.send("GET", "/", port: port)
            let asked = try await HTTPClient.send("GET", "/?q=%3Cscript%3E&%zz", port: port)
            #expect(asked.body == plain.body)
        }
    }

    @Test(arguments: ["/nowhere", "/style.css/", "//", "/%2F", "/index.html", "/v1/apps", "/<script>"])
    func nothingIsFoundElsewhere(target: String) async throws {
        try await withConsole(url: unreachableDatabaseURL) { port in
            let answer = try await HTTPClient.send("GET", target, port: port)
            #expect(answer.status == 404)
            #expect(answer.header("Content-Type") == "text/plain; charset=utf-8")
            #expect(answer.body == "Not found\n")
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"], ["/", "/style.css", "/nowhere"])
    func otherMethodsAreRefusedWithThoseThatAreAllowed(method: String, target: String) async throws {
        try await withConsole(url: unreachableDatabaseURL) { port in
            let answer = try await HTTPClient.send(method, target, port: port)
            #expect(answer.status == 405)
            #expect(answer.header("Allow") == "GET, HEAD, OPTIONS")
        }
    }

    @Test func optionsAreTold() async throws {
        try await withConsole(url: unreachableDatabaseURL) { port in
            let answer = try await HTTPClient.send("OPTIONS", "/", port: port)
            #expect(answer.status == 204)
            #expect(answer.header("Allow") == "GET, HEAD, OPTIONS")
        }
    }

    @Test(arguments: ["/", "/style.css", "/nowhere"])
    func headIsGetWithoutTheBody(target: String) async throws {
        try await withConsole(url: unreachableDatabaseURL) { port in
            let get = try await HTTPClient.send("GET", target, port: port)
            let head = try await HTTPClient.send("HEAD", target, port: port)
            #expect(head.status == get.status)
            #expect(head.header("Content-Length") == "\(get.body.utf8.count)")
            #expect(head.body.isEmpty)
        }
    }

    @Test func unknownMethodIsNoTraceOfOurs() async throws {
        try await withConsole(url: unreachableDatabaseURL) { port in
            let answer = try await HTTPClient.send("BREW", "/", port: port)
            #expect(answer.status == 501)
            #expect(answer.body == "The request cannot be served\n")
        }
    }
}
