import ServiceKit
import TestSupport
import Testing

@testable import ConsoleCore

/// Files need no database; so these work without one.
@Suite(.serialized) struct StaticPagesTests {
    private func get(
        _ target: String,
        method: String = "GET",
        headers: [(String, String)] = [],
        _ check: (HTTPAnswer) throws -> Void
    ) async throws {
        try await withConsoleServer(unreachableDatabaseURL) { port, _, _, _, _, _, _ in
            try check(try await HTTPClient.send(method, target, port: port, headers: headers))
        }
    }

    @Test(arguments: [
        ("/assets/main.js", "text/javascript; charset=utf-8"),
        ("/assets/styles/base.css", "text/css; charset=utf-8"),
        ("/assets/logo.svg", "image/svg+xml"), ("/assets/words.json", "application/json"),
        ("/assets/chart.js", "text/javascript; charset=utf-8"), ("/", "text/html; charset=utf-8"),
    ])
    func fileHasItsTypeAndATag(target: String, type: String) async throws {
        try await get(target) { answer in
            #expect(answer.status == 200 && answer.header("Content-Type") == type)
            #expect(answer.header("ETag")?.hasPrefix("W/\"") == true)
            #expect(answer.header("Cache-Control") == "no-cache")
            #expect(answer.header("Vary") == "Accept-Encoding")
        }
    }

    @Test(arguments: [
        "/", "/apps/1/audience", "/setup", "/nowhere/at/all", "/assets", "/index.html", "/v2/apps",
    ])
    func everyOtherAddressIsAViewOfTheDashboard(target: String) async throws {
        try await get(target) { answer in
            #expect(answer.status == 200 && answer.body == TestPages.files["index.html"])
        }
    }

    @Test(arguments: [
        "/assets/", "/assets/nowhere.js", "/assets/../chart.txt", "/assets/styles/../main.js",
        "/assets/%2e%2e/main.js",
        "/assets//etc/passwd", "/assets/../../../../etc/passwd", "/assets/notes.txt", "/assets/styles",
        "/assets/main.js/", "/assets/Main.js",
    ])
    func nothingElseIsAFile(target: String) async throws {
        try await get(target) { answer in
            #expect(answer.status == 404 && answer.errorCode == "not_found")
        }
    }

    @Test func unchangedFileIsNotSentAgain() async throws {
        try await withConsoleServer(unreachableDatabaseURL) { port, _, _, _, _, _, _ in
            let tag = try await HTTPClient.send("GET", "/assets/main.js", port: port).header("ETag") ?? ""
            for known in [tag, "\"x\", \(tag)", "*", tag.replacing("W/", with: "")] {
                let answer = try await HTTPClient.send(
                    "GET",
                    "/assets/main.js",
                    port: port,
                    headers: [("If-None-Match", known)]
                )
                #expect(answer.status == 304 && answer.body.isEmpty, "\(known)")
                #expect(answer.header("ETag") == tag)
            }
            let other = try await HTTPClient.send(
                "GET",
                "/assets/logo.svg",
                port: port,
                headers: [("If-None-Match", tag)]
            )
            #expect(other.status == 200)
        }
    }

    @Test(arguments: [
        ("gzip", true), ("br, gzip;q=0.5", true), ("gzip;q=0", false), ("br", false), ("", false),
    ])
    func fileIsPackedForThoseWhoTakeIt(encodings: String, isPacked: Bool) async throws {
        let length = TestPages.files["main.js"]?.utf8.count ?? 0
        try await get("/assets/main.js", method: "HEAD", headers: [("Accept-Encoding", encodings)]) {
            answer in
            #expect((answer.header("Content-Encoding") == "gzip") == isPacked)
            let sent = answer.header("Content-Length").flatMap { Int($0) } ?? 0
            #expect(isPacked ? sent > 0 && sent < length / 10 : sent == length)
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    func pagesAreOnlyRead(method: String) async throws {
        try await get("/assets/main.js", method: method) { answer in
            #expect(answer.status == 405 && answer.header("Allow") == "GET, HEAD")
        }
    }
}

/// What every answer says, whatever it is about.
@Suite(.serialized) struct AnswerHeaderTests {
    @Test(arguments: [
        ("GET", "/"), ("GET", "/assets/main.js"), ("GET", "/assets/nowhere"), ("POST", "/"), ("BREW", "/"),
        ("GET", "/console/v1/facts"), ("GET", "/console/v1/apps"), ("GET", "/console/v1/%zz"),
        ("GET", "/v1/apps"),
        ("POST", "/console/v1/session"), ("GET", "/console/nowhere"), ("DELETE", "/v1/apps"),
    ])
    func everyAnswerForbidsWhatPagesNeverDo(method: String, target: String) async throws {
        try await withConsoleServer(unreachableDatabaseURL) { port, _, _, _, _, _, _ in
            let answer = try await HTTPClient.send(method, target, port: port)
            #expect(
                answer.header("Content-Security-Policy")
                    == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                    + "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            )
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            #expect(answer.header("Referrer-Policy") == "no-referrer")
            #expect(answer.header("X-Frame-Options") == "DENY")
            #expect(answer.header("Cross-Origin-Opener-Policy") == "same-origin")
            #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
            #expect(answer.header("Access-Control-Allow-Origin") == nil)
            if target.hasPrefix("/console/") { #expect(answer.header("Cache-Control") == "no-store") }
            if answer.status >= 400 { #expect(answer.header("X-Request-Id")?.count == 26) }
        }
    }

    @Test func factsNeedNoSession() async throws {
        try await withConsoleServer(unreachableDatabaseURL) { port, _, _, _, _, _, _ in
            let facts = try await HTTPClient.send("GET", "/console/v1/facts", port: port).json
            #expect(facts["ingest_url"].text == "http://127.0.0.1:8080")
            #expect(facts["read_url"].text == "http://127.0.0.1:8081")
            #expect(facts["version"].text != nil)
        }
    }

    @Test func withoutDatabaseNobodySignsInAndNothingIsTold() async throws {
        try await withConsoleServer(unreachableDatabaseURL) { port, _, _, _, _, _, log in
            let answer = try await HTTPClient.send(
                "POST",
                "/console/v1/session",
                port: port,
                headers: [("Content-Type", "application/json")],
                body: #"{"email": "a@b.example", "password": "long enough for us"}"#
            )
            #expect(answer.status == 503 && answer.errorCode == "storage_unavailable")
            #expect(answer.header("Retry-After") == "5")
            for secret in ["127.0.0.1", "nobody", "nowhere"] { #expect(!answer.body.contains(secret)) }
            #expect(!log.lines.joined().contains("long enough for us"))
        }
    }

    @Test func errorsSpeakRussianToo() async throws {
        try await withConsoleServer(unreachableDatabaseURL) { port, _, _, _, _, _, _ in
            let answer = try await HTTPClient.send(
                "GET",
                "/console/v1/apps",
                port: port,
                headers: [("Accept-Language", "ru")]
            )
            #expect(answer.json["error"]["message"].text == "Сначала войдите.")
        }
    }
}
