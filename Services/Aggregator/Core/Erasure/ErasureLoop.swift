import Postgres
import Schema
public import ServiceKit

/// Fulfils deletion requests for as long as the service runs: at once when one is made, and once a second whatever is due.
public final class ErasureLoop: Component {
    public let name = "erasure"
    private let settings: AggregatorSettings
    private let metrics: ErasureMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let clock: any MonotonicClock
    private let wallClock: any WallClock
    private let repeater: Repeater
    private static let pollMs: Int64 = 1_000
    private static let pruneMs: Int64 = 3_600_000
    /// Short, so that a stop is noticed soon.
    private static let waitMs = 200

    public init(settings: AggregatorSettings, metrics: ErasureMetrics, service: Service) {
        self.settings = settings
        self.metrics = metrics
        logger = service.logger
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
        clock = service.monotonicClock
        repeater = Repeater(clock: clock)
        wallClock = service.wallClock
    }

    public func stop() { repeater.stop() }

    public func run() async throws {
        var backoff = Backoff(firstMs: 100, ceilingMs: 5_000)
        while !shouldStop {
            do {
                let connection = try await PostgresConnection(
                    url: settings.databaseURL.reveal(),
                    applicationName: "foreground-aggregator erasure"
                )
                try await work(connection) { backoff.reset() }
                await connection.close()
            } catch is ErasureInterrupted {
                return
            } catch {
                let waitMs = backoff.nextMs()
                throttled.error("erasure_loop_failed", [.error: "\(error)", .retryMs: waitMs])
                await repeater.pause(ms: Int64(waitMs))
            }
        }
    }

    private var shouldStop: Bool { repeater.shouldStop }

    private func work(_ connection: PostgresConnection, whenWell: () -> Void) async throws {
        let hasher = SubjectHasher(key: settings.erasure.hashKey)
        try await ErasureKey.check(hasher, connection)
        try await connection.listen(DeletionRequests.channel)
        let worker = worker(hasher)
        var nextPassMs = clock.nowMs()
        var nextPruneMs = clock.nowMs()
        while !shouldStop {
            if clock.nowMs() >= nextPassMs {
                metrics.count(try await worker.pass(connection))
                metrics.open.set(try await openRequests(connection))
                nextPassMs = clock.nowMs() + Self.pollMs
                whenWell()
            }
            if clock.nowMs() >= nextPruneMs {
                try await worker.prune(connection)
                nextPruneMs = clock.nowMs() + Self.pruneMs
            }
            if try await connection.waitForNotification(ms: Self.waitMs) != nil { nextPassMs = clock.nowMs() }
        }
    }

    private func worker(_ hasher: SubjectHasher) -> ErasureWorker {
        ErasureWorker(
            hasher,
            attemptsMax: settings.erasure.attemptsMax,
            clock: wallClock,
            notifier: settings.erasure.telegram.map {
                TelegramNotifier($0, logger: logger, failures: metrics.noticesFailed)
            },
            logger: logger,
            before: { [self] _ in if shouldStop { throw ErasureInterrupted() } }
        )
    }

    private func openRequests(_ connection: PostgresConnection) async throws -> Double {
        let count = try await connection.first(
            "SELECT count(*) FROM deletion_requests WHERE status IN ('pending', 'running') LIMIT 1"
        ) { try $0.int(0) }
        return Double(count ?? 0)
    }
}
