import AggregatorCore
import Contracts
import Postgres
import Schema
import ServiceKit
import Synchronization
import TestSupport
import Testing

/// A store that suppresses, and a clock that says when erasures happen.
struct ErasureBench {
    static let key = Secret("a key of the tests, long enough for the setting")
    let bench: StoreBench
    let clock: ManualWallClock
    let hasher = SubjectHasher(key: key)

    var app: TestApp { bench.app }
    var connection: PostgresConnection { bench.connection }
    var store: EventStore { bench.store }

    func request(
        _ type: DeletionSubjectType,
        _ value: String,
        app: TestApp? = nil
    ) async throws -> DeletionRequest {
        let subject = try #require(DeletionSubject(type, value))
        let (number, nowMs) = ((app ?? self.app).number, clock.nowMs())
        return try await connection.perform {
            try DeletionRequests.create(app: number, subject, source: .api, nowMs: nowMs, $0)
        }
    }

    func find(_ request: DeletionRequest) async throws -> DeletionRequest {
        let found = try await connection.perform { try DeletionRequests.find(request.id, $0) }
        return try #require(found)
    }

    func worker(
        limits: ErasureLimits = ErasureLimits(),
        attemptsMax: Int = 5,
        notifier: (any OwnerNotifier)? = nil,
        before: @escaping @Sendable (ErasureStep) throws -> Void = { _ in }
    ) -> ErasureWorker {
        ErasureWorker(
            hasher,
            limits: limits,
            attemptsMax: attemptsMax,
            clock: clock,
            notifier: notifier,
            before: before
        )
    }

    /// One look at all requests, with the rights of the aggregator.
    @discardableResult
    func pass(_ worker: ErasureWorker? = nil) async throws -> ErasurePass {
        try await withConnection(to: url(bench.url, actingAs: "foreground_aggregator")) {
            try await (worker ?? self.worker()).pass($0)
        }
    }

    /// Asks and does it; the request took a minute.
    @discardableResult
    func erase(_ type: DeletionSubjectType, _ value: String) async throws -> DeletionRequest {
        let request = try await request(type, value)
        clock.advance(ms: Span.minuteMs)
        try await pass()
        let done = try await find(request)
        #expect(done.status == .done)
        return done
    }

    func facts() async throws -> ErasedFacts { try await ErasedFacts.of(app, connection) }

    func eventCount() async throws -> Int { try await connection.eventCount() }
}

/// Facts without the marks, which come and go.
struct ErasedFacts: Equatable {
    var events: [String]
    var installs: [String]
    var users: [String]
    var userInstalls: [String]

    static func of(_ app: TestApp, _ connection: PostgresConnection) async throws -> ErasedFacts {
        let all = try await StoredFacts.of(app, connection)
        return ErasedFacts(
            events: all.events,
            installs: all.installs,
            users: all.users,
            userInstalls: all.userInstalls
        )
    }
}

/// 20 October 2026, six days after the events of the builders.
let erasureMs = utcMs("2026-10-20", hours: 9)

func withErasure(
    timezone: String = "UTC",
    nowMs: Int64 = erasureMs,
    _ body: (ErasureBench) async throws -> Void
) async throws {
    try await withStore(timezone: timezone) { bench in
        let clock = ManualWallClock(nowMs: nowMs)
        try await withConnection(to: url(bench.url, actingAs: "foreground_aggregator")) { own in
            let hasher = SubjectHasher(key: ErasureBench.key)
            let store = try await EventStore(
                connection: own,
                topic: "events",
                suppression: SuppressionFilter(hasher, clock: clock)
            )
            let suppressing = StoreBench(
                url: bench.url,
                connection: bench.connection,
                app: bench.app,
                store: store
            )
            try await body(ErasureBench(bench: suppressing, clock: clock))
        }
    }
}

/// Fails an erasure at the nth transaction.
final class FailAt: Sendable {
    struct Failure: Error {}
    private let count = Atomic(0)
    private let position: Int

    init(_ position: Int) { self.position = position }

    func check(_ step: ErasureStep) throws {
        if count.wrappingAdd(1, ordering: .relaxed).newValue == position { throw Failure() }
    }

    /// Whether the failure came: an erasure of fewer transactions got through.
    var hasFailed: Bool { count.load(ordering: .relaxed) >= position }
}

/// Notes who was told what.
final class NotedNotices: OwnerNotifier {
    private let notices = Mutex<[String]>([])
    var all: [String] { notices.withLock { $0 } }

    func erasureFailed(appName: String, request: UUID128, attempts: Int) async {
        notices.withLock { $0.append("\(appName) \(request) \(attempts)") }
    }
}

/// Both events of one session, as one message.
func session(
    _ app: TestApp,
    install: UInt64,
    at ms: Int64,
    user: String? = nil,
    environment: AppEnvironment = .production,
    receivedAtMs: Int64? = nil
) -> EventMessage {
    let id = UUID128.random()
    return .valid(
        app: app.id,
        install: .fixed(install),
        [.start(at: ms, session: id, user: user), .end(at: ms + 60_000, session: id, user: user)]
    ) {
        $0.contexts = [.valid { $0.environment = environment }]
        if let receivedAtMs { $0.receivedAtMs = receivedAtMs }
    }
}
