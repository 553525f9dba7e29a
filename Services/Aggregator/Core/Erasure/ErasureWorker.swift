import Calendar
public import Contracts
public import Postgres
import Schema
public import ServiceKit

/// Told when an erasure is given up.
public protocol OwnerNotifier: Sendable {
    /// Never fails: a message that cannot be sent changes nothing about the request.
    func erasureFailed(appName: String, request: UUID128, attempts: Int) async
}

/// What one look at the requests came to.
public struct ErasurePass: Sendable, Equatable {
    public var done = 0
    public var attemptsFailed = 0
    public var failed = 0
    public var events = 0

    public init() {}
}

/// Fulfils deletion requests, one at a time for each app.
///
/// Several instances may run: each works on apps whose advisory lock it holds, on the very session that does the work, so a worker that
/// dies gives the app back and a worker that lost its connection can write nothing more.
public struct ErasureWorker: Sendable {
    private let hasher: SubjectHasher
    private let limits: ErasureLimits
    private let attemptsMax: Int
    private let clock: any WallClock
    private let notifier: (any OwnerNotifier)?
    private let logger: Logger?
    private let before: @Sendable (ErasureStep) throws -> Void
    private static let requestsMax = 100
    private static let rulesPrunedMax = 10_000

    /// - Parameter before: called before each transaction of an erasure; throws to stop there.
    public init(
        _ hasher: SubjectHasher,
        limits: ErasureLimits = ErasureLimits(),
        attemptsMax: Int = 5,
        clock: any WallClock = SystemWallClock(),
        notifier: (any OwnerNotifier)? = nil,
        logger: Logger? = nil,
        before: @escaping @Sendable (ErasureStep) throws -> Void = { _ in }
    ) {
        self.hasher = hasher
        self.limits = limits
        self.attemptsMax = attemptsMax
        self.clock = clock
        self.notifier = notifier
        self.logger = logger
        self.before = before
    }

    /// Works on every request that is due and on late links.
    ///
    /// - Throws: what stops all of them: a lost connection, the end of the service.
    public func pass(_ connection: PostgresConnection) async throws -> ErasurePass {
        var pass = ErasurePass()
        let due = try await connection.rows(
            ErasureStatements.due(nowMs: clock.nowMs(), limit: Self.requestsMax)
        ) { (id: try $0.uuid128(0), app: try $0.int32(1)) }
        for request in due {
            try await withApp(request.app, connection) {
                try await work(on: request.id, connection, &pass)
            }
        }
        try await sweepLateLinks(connection, &pass)
        return pass
    }

    /// Drops rules that are past their time.
    public func prune(_ connection: PostgresConnection) async throws {
        _ = try await connection.execute(
            ErasureStatements.prune(nowMs: clock.nowMs(), limit: Self.rulesPrunedMax)
        )
    }

    /// Runs `body` unless somebody else works on the app.
    private func withApp(
        _ app: Int32,
        _ connection: PostgresConnection,
        _ body: () async throws -> Void
    ) async throws {
        let isOurs = try await connection.first(
            "SELECT pg_try_advisory_lock(hashtext('foreground erasure'), \(app)) LIMIT 1"
        ) { try $0.bool(0) }
        guard isOurs == true else { return }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        // A lost connection has given the lock back by itself.
        _ = try? await connection.first(
            "SELECT pg_advisory_unlock(hashtext('foreground erasure'), \(app)) LIMIT 1"
        ) { try $0.bool(0) }
        try result.get()
    }

    private func work(
        on request: UUID128,
        _ connection: PostgresConnection,
        _ pass: inout ErasurePass
    ) async throws {
        // Whoever held the lock before may have done it.
        guard let open = try await open(request, connection) else { return }
        let startedMs = clock.nowMs()
        do {
            let task = try open.task(request)
            logger?.info("erasure_started", [.requestID: request.description])
            let events = try await ErasureRun(
                task: task,
                connection: connection,
                hasher: hasher,
                limits: limits,
                nowMs: { clock.nowMs() },
                before: before
            ).run()
            pass.done += 1
            pass.events += events
            logger?.info(
                "erasure_done",
                [.requestID: request.description, .count: events, .durationMs: clock.nowMs() - startedMs]
            )
        } catch let error as PostgresError where error.isUnavailable {
            throw error
        } catch let error as ErasureInterrupted {
            throw error
        } catch {
            try await noteFailure(of: request, open.appName, error, connection, &pass)
        }
    }

    private struct Open: Sendable {
        let app: Int32
        let type: String
        let value: String
        let requestedAtMs: Int64
        let appName: String

        func task(_ id: UUID128) throws -> ErasureTask {
            guard let type = DeletionSubjectType(rawValue: type), let subject = DeletionSubject(type, value)
            else {
                throw ErasureFailure.unknownSubject
            }
            return ErasureTask(
                id: id,
                app: app,
                appName: appName,
                subject: subject,
                requestedAtMs: requestedAtMs
            )
        }
    }

    private func open(_ request: UUID128, _ connection: PostgresConnection) async throws -> Open? {
        try await connection.first(ErasureStatements.open(request, nowMs: clock.nowMs())) {
            Open(
                app: try $0.int32(0),
                type: try $0.string(1),
                value: try $0.string(2),
                requestedAtMs: try $0.timestampMs(3),
                appName: try $0.string(4)
            )
        }
    }

    private func noteFailure(
        of request: UUID128,
        _ appName: String,
        _ error: any Error,
        _ connection: PostgresConnection,
        _ pass: inout ErasurePass
    ) async throws {
        let reason = ErasureFailure.reason(for: error)
        let outcome = try await connection.first(
            ErasureStatements.attemptFailed(
                request,
                reason: reason,
                attemptsMax: attemptsMax,
                nowMs: clock.nowMs()
            )
        ) { (isFailed: try $0.bool(0), attempts: try $0.int(1)) }
        guard let outcome else { return }
        pass.attemptsFailed += 1
        logger?.error(
            outcome.isFailed ? "erasure_failed" : "erasure_attempt_failed",
            [.requestID: request.description, .reason: reason, .attempt: outcome.attempts]
        )
        guard outcome.isFailed else { return }
        pass.failed += 1
        await notifier?.erasureFailed(appName: appName, request: request, attempts: outcome.attempts)
    }

    private func sweepLateLinks(_ connection: PostgresConnection, _ pass: inout ErasurePass) async throws {
        let apps = try await connection.rows(
            """
            SELECT DISTINCT s.app_no FROM suppressions s
            WHERE NOT s.swept AND isfinite(s.finished_at) ORDER BY s.app_no LIMIT \(Self.requestsMax)
            """
        ) { try $0.int32(0) }
        for app in apps {
            try await withApp(app, connection) {
                let sweeper = LateLinkSweeper(
                    app: app,
                    connection: connection,
                    limits: limits,
                    before: before
                )
                pass.events += try await sweeper.sweep()
                try await ErasedDays(app: app, connection: connection).close { try before(.close) }
            }
        }
    }
}

/// Why an attempt failed, as the request says it: a code, never a value.
enum ErasureFailure: Error {
    case unknownSubject

    static func reason(for error: any Error) -> String {
        switch error {
        case let error as PostgresError: "database_error_\(error.sqlState)"
        case is UnknownZone: "unknown_timezone"
        case ErasureFailure.unknownSubject: "unknown_subject"
        default: "internal_error"
        }
    }
}
