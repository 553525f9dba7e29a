import Crypto
import Foundation
import HTTP
import Postgres
import ServiceKit
import TestSupport
import Testing

@testable import ConsoleCore

/// A console that answers on a port, with the rights of its role, over a database of its own.
struct ConsoleWorld {
    static let email = "owner@example.com"
    static let password = "correct horse battery"

    let connection: PostgresConnection
    let databaseURL: String
    let port: Int
    let settings: ConsoleSettings
    let pool: PostgresPool
    let hasher: PasswordHasher
    let service: Service
    let clock: ManualMonotonicClock
    let log: LogCapture

    /// Somebody who is signed in.
    struct Member {
        var email = ConsoleWorld.email
        var cookie: String
        var csrfToken: String

        var headers: [(String, String)] { [("Cookie", cookie), ("X-CSRF-Token", csrfToken)] }
    }

    /// Sends a request to the control plane; `path` comes after `/console/v1/`.
    func call(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        as member: Member? = nil,
        headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        try await send(method, "/console/v1/" + path, body, as: member, headers: headers)
    }

    func send(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        as member: Member? = nil,
        headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        let type = body == nil ? [] : [("Content-Type", "application/json")]
        return try await HTTPClient.send(
            method,
            target,
            port: port,
            headers: (member?.headers ?? []) + type + headers,
            body: body ?? ""
        )
    }

    /// The answer to a request that must succeed.
    func done(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        as member: Member,
        status: Int = 200,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> JSONNode {
        let answer = try await call(method, path, body, as: member)
        try #require(answer.status == status, "\(answer.body)", sourceLocation: location)
        return answer.json
    }

    func addAccount(_ email: String = Self.email, _ password: String = Self.password) async throws {
        let hash = try await hasher.hash(password)
        try await connection.perform {
            _ = try Accounts.create(email: email, passwordHash: hash, $0)
        }
    }

    func signIn(
        _ email: String = Self.email,
        _ password: String = Self.password,
        headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        let body = #"{"email": "\#(email)", "password": "\#(password)"}"#
        return try await call("POST", "session", body, headers: headers)
    }

    /// A new browser of an account.
    func member(_ email: String = Self.email) async throws -> Member {
        let answer = try await signIn(email)
        try #require(answer.status == 200, "\(answer.body)")
        return Member(
            email: email,
            cookie: try #require(answer.cookie),
            csrfToken: try #require(answer.json["csrf_token"].text)
        )
    }

    /// An app made through the console.
    func makeApp(_ name: String = "Chess", as member: Member, platforms: [String] = ["ios"]) async throws
        -> JSONNode
    {
        let list = platforms.map { "\"\($0)\"" }.joined(separator: ", ")
        let body = #"{"name": "\#(name)", "platforms": [\#(list)], "timezone": "UTC"}"#
        return try await done("POST", "apps", body, as: member, status: 201)
    }

    /// What was done, the newest first, as `action` or `action: details`.
    func audit(_ member: Member) async throws -> [String] {
        try await done("GET", "audit", as: member)["items"].list.map { entry in
            let action = entry["action"].text ?? ""
            return entry["details"].text.map { "\(action): \($0)" } ?? action
        }
    }
}

/// Runs a console with an account, and a member who is signed in.
func withMember(
    _ settings: [String: String] = [:],
    _ body: (ConsoleWorld, ConsoleWorld.Member) async throws -> Void
) async throws {
    try await withConsole(settings) { world in
        try await world.addAccount()
        try await body(world, try await world.member())
    }
}

/// Runs a console without any account.
func withConsole(
    _ settings: [String: String] = [:],
    _ body: (ConsoleWorld) async throws -> Void
) async throws {
    try await withDatabase { url, connection in
        let role = TestSupport.url(url, actingAs: "foreground_console")
        try await withConsoleServer(role, settings) { port, settings, pool, hasher, service, clock, log in
            let world = ConsoleWorld(
                connection: connection,
                databaseURL: url,
                port: port,
                settings: settings,
                pool: pool,
                hasher: hasher,
                service: service,
                clock: clock,
                log: log
            )
            try await body(world)
        }
    }
}

/// Runs a console over whatever the URL leads to.
func withConsoleServer(
    _ url: String,
    _ settings: [String: String] = [:],
    _ body: (
        Int, ConsoleSettings, PostgresPool, PasswordHasher, Service, ManualMonotonicClock, LogCapture
    ) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
        at: folder.appending(path: "styles"),
        withIntermediateDirectories: true
    )
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in TestPages.files {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }
    var reader = SettingsReader(
        [
            "DATABASE_URL": url, "CONSOLE_PAGES": folder.path, "CONSOLE_URL": "http://console.example",
            "CONSOLE_CHART_FILE": folder.path + "/chart.txt",
        ].merging(settings) { $1 }
    )
    let consoleSettings = ConsoleSettings(&reader)
    try reader.finish()
    let clock = ManualMonotonicClock(nowNs: 1_000_000_000_000)
    let log = LogCapture()
    let service = Service(name: "console", logger: log.logger(), monotonicClock: clock)
    let pool = PostgresPool(url: url, applicationName: "console-tests", connectionsMax: 3)
    // As cheap as it goes: what a hash costs is a matter of Crypto's tests.
    let hasher = PasswordHasher(cost: Scrypt.Cost(logN: 4, r: 8, p: 1))
    var configuration = HTTPServerConfiguration(address: "127.0.0.1", port: 0)
    configuration.bodyBytesMax = 65_536
    let server = try HTTPServer(
        configuration,
        handler: try consoleHandler(consoleSettings, pool: pool, hasher: hasher, service)
    )
    let outcome: Result<Void, any Error>
    do {
        outcome = .success(
            try await body(server.port, consoleSettings, pool, hasher, service, clock, log)
        )
    } catch { outcome = .failure(error) }
    await server.drain(ms: 5_000)
    pool.close()
    try outcome.get()
}

/// The dashboard of the tests.
enum TestPages {
    static let files = [
        "index.html": "<!doctype html><title>Test</title>",
        "main.js": "export const answer = 42;\n"
            + String(repeating: "// Long enough to be packed.\n", count: 100),
        "styles/base.css": "body { margin: 0 }",
        "logo.svg": "<svg/>",
        "words.json": "{}",
        "notes.txt": "not for the web",
        "chart.txt": "var Chart = 1;",
    ]
}
