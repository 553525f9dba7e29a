import AggregatorCore
import Contracts
import Foundation
import HTTP
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// A reader that answers on a port, with the rights of its role, over a database that the aggregator's own code fills.
struct ReaderWorld {
    static let key = "sk_reads_everything"

    let connection: PostgresConnection
    let port: Int
    let store: EventStore
    let closer: DayCloser
    let log: LogCapture

    /// Stores one message of one install.
    func send(
        _ app: TestApp,
        install: UInt64 = 1,
        context: EventContext = .valid(),
        _ events: [EventMessage.Event]
    ) async throws {
        let message = EventMessage.valid(app: app.id, install: .fixed(install), events) {
            $0.contexts = [context]
        }
        let outcome = try await store.store(
            [DecodedMessage(partition: 0, offset: 0, content: .events(message))],
            progress: []
        )
        #expect(outcome.setAside.isEmpty)
    }

    func close() async throws {
        _ = try await ClosingRun(closer: closer).run()
        try await waitUntilChangesAreSettled(connection)
    }

    /// Makes a secret key; the hash is Postgres' own, so that ours has a judge.
    func makeKey(_ key: String, scopes: [String] = ["read"], app: TestApp? = nil) async throws {
        try await connection.execute(
            """
            INSERT INTO api_keys (key_id, key_hash, prefix, scopes, app_id)
            VALUES (\(UUID128.random())::uuid, sha256(convert_to(\(key), 'UTF8')), 'sk_', \(scopes)::text[],
                    \(app?.id)::uuid)
            """
        )
    }

    func get(
        _ target: String,
        key: String? = ReaderWorld.key,
        method: String = "GET",
        headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        let access = key.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await HTTPClient.send(method, target, port: port, headers: access + headers)
    }

    func post(_ target: String, _ body: String, key: String? = ReaderWorld.key) async throws -> HTTPAnswer {
        let access = key.map { [("Authorization", "Bearer \($0)")] } ?? []
        let headers = access + [("Content-Type", "application/json")]
        return try await HTTPClient.send("POST", target, port: port, headers: headers, body: body)
    }

    /// The answer to a request that must succeed.
    func read<Answer: Decodable>(_ target: String, at location: SourceLocation = #_sourceLocation)
        async throws
        -> Answer
    {
        let answer = try await get(target)
        try #require(answer.status == 200, "\(answer.body)", sourceLocation: location)
        return try decoded(answer)
    }

    func summary(_ app: TestApp, _ query: String) async throws -> SummaryAnswer {
        try await report(app, "summary?" + query)
    }

    func series(_ app: TestApp, _ query: String) async throws -> SeriesAnswer {
        try await report(app, "timeseries?" + query)
    }

    private func report<Answer: Decodable>(_ app: TestApp, _ rest: String) async throws -> Answer {
        let answer = try await get("/v1/apps/\(app.id)/audience/\(rest)")
        try #require(answer.status == 200, "\(answer.body)")
        return try decoded(answer)
    }
}

/// Runs a reader with a database of its own.
func withReader(
    limiter: RequestLimiter? = nil,
    clock: any WallClock = SystemWallClock(),
    _ body: (ReaderWorld) async throws -> Void
) async throws {
    try await withDatabase { url, connection in
        let log = LogCapture()
        let url = TestSupport.url(url, actingAs: "foreground_reader")
        try await withReadServer(url: url, log, limiter: limiter, clock: clock) { port in
            let world = ReaderWorld(
                connection: connection,
                port: port,
                store: try await EventStore(connection: connection, topic: "events"),
                closer: DayCloser(connection: connection),
                log: log
            )
            try await world.makeKey(ReaderWorld.key)
            try await body(world)
        }
    }
}

/// Runs a reader over whatever the URL leads to.
func withReadServer(
    url: String,
    _ log: LogCapture = LogCapture(),
    limiter: RequestLimiter? = nil,
    clock: any WallClock = SystemWallClock(),
    _ body: (_ port: Int) async throws -> Void
) async throws {
    let pool = PostgresPool(url: url, applicationName: "reader-tests", connectionsMax: 2, waitMsMax: 120_000)
    let service = Service(name: "reader", logger: log.logger())
    var configuration = HTTPServerConfiguration(address: "127.0.0.1", port: 0)
    configuration.bodyBytesMax = 65_536
    let reads = ReadService(
        pool: pool,
        worlds: WorldCache(bytesMax: 1 << 30),
        limiter: limiter,
        clock: clock
    )
    let server = try HTTPServer(configuration, handler: ReadHandler(reads, service))
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(server.port)) } catch { outcome = .failure(error) }
    await server.drain(ms: 5_000)
    pool.close()
    try outcome.get()
}

func decoded<Answer: Decodable>(_ answer: HTTPAnswer) throws -> Answer {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Answer.self, from: Data(answer.body.utf8))
}

struct SummaryAnswer: Decodable {
    struct Figures: Decodable, Equatable {
        var from: String
        var to: String
        var active: Int
        var new: Int
        var sessions: Int
        var avgDurationMs: Int?
        var medianDurationMs: Int?
    }

    var figures: Figures
    var compare: Figures?
    var asOf: String
    var dataThrough: String

    private enum CodingKeys: String, CodingKey { case compare, asOf, dataThrough }

    init(from decoder: any Decoder) throws {
        figures = try Figures(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        compare = try container.decode(Figures?.self, forKey: .compare)
        asOf = try container.decode(String.self, forKey: .asOf)
        dataThrough = try container.decode(String.self, forKey: .dataThrough)
    }
}

struct SeriesAnswer: Decodable {
    struct Point: Decodable, Equatable {
        var ts: String
        var value: Int?
        var complete: Bool?
    }

    struct Compared: Decodable {
        var from: String
        var to: String
        var points: [Point]
    }

    var metric: String
    var granularity: String
    var points: [Point]
    var compare: Compared?
}

struct ErrorAnswer: Decodable {
    struct Body: Decodable {
        var code: String
        var message: String
        var requestId: String
        var details: [String: String]?
    }

    var error: Body
}

/// Waits until every change of people stored so far is settled.
///
/// A transaction of another test on the same server leaves a change open while it runs, and a state has another tag once its changes are
/// settled; a test that compares tags must not see both.
func waitUntilChangesAreSettled(_ connection: PostgresConnection) async throws {
    try await waitUntil(
        connection,
        "SELECT coalesce(max(transaction_id) < pg_snapshot_xmin(pg_current_snapshot()), true) FROM identity_changes"
    )
}

/// Asks until the answer is yes, for at most a minute.
func waitUntil(_ connection: PostgresConnection, _ question: SQL) async throws {
    for _ in 0..<6_000 {
        if try await connection.first(question, decode: { try $0.bool(0) }) == true { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("another transaction has been under way for a minute")
}
