import AggregatorCore
import Contracts
import Postgres
import Schema
import ServiceKit
import Synchronization
import TestSupport

/// Something somebody asks for while two apps are busy.
enum BusyChange: Sendable {
    case erasure(DeletionSubject, ofSource: Bool)
    case zone(String)
    case merge
}

/// Asks for changes and carries them out the way the service does, beside the traffic: two closers, an eraser and a mover, each on
/// connections of its own.
final class BusyChanges: Sendable {
    let erasure: ErasureBench
    let source: TestApp
    private let worker: ErasureWorker
    private let isStopping = Atomic(false)
    private let hasMerged = Atomic(false)
    private let lastZone: Mutex<String>

    private var bench: StoreBench { erasure.bench }
    /// The zone asked for last.
    var zone: String { lastZone.withLock { $0 } }

    init(_ erasure: ErasureBench, source: TestApp, zone: String) {
        self.erasure = erasure
        self.source = source
        // What loses a race is tried again for as long as it takes.
        worker = erasure.worker(attemptsMax: 1_000_000)
        lastZone = Mutex(zone)
    }

    /// False when it is refused for now: something else of the app has to end first.
    func ask(_ change: BusyChange) async throws -> Bool {
        switch change {
        case .erasure(let subject, let isOfSource):
            let app = isOfSource && !hasMerged.load(ordering: .relaxed) ? source : erasure.app
            _ = try await erasure.request(subject.type, subject.value, app: app)
        case .zone(let name):
            do { try await bench.request(name) } catch is ZoneChangeRefusal { return false }
            lastZone.withLock { $0 = name }
        case .merge:
            do {
                try await AppChanges.beginMerge(of: source.id, into: erasure.app.id, erasure.connection)
            } catch let refusal as AppChangeRefusal {
                guard [.erasureOpen, .zoneChangeOpen].contains(refusal) else { throw refusal }
                return false
            }
            hasMerged.store(true, ordering: .relaxed)
        }
        return true
    }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    func workUntilStopped() async throws {
        async let first: Void = repeating { try await self.close() }
        async let second: Void = repeating { try await self.close() }
        async let erasing: Void = repeating { try await self.erase() }
        var stops = 1
        async let moving: Void = repeating {
            stops += 1
            try await self.move(stops)
        }
        _ = try await (first, second, erasing, moving)
    }

    /// Until nothing is open and no day waits.
    func settle() async throws {
        for _ in 0..<100 {
            try await erase()
            try await move(.max)
            try await close()
            if try await open().isEmpty { return }
        }
        throw Unsettled(open: try await open())
    }

    struct Unsettled: Error { let open: [String] }

    private func open() async throws -> [String] {
        try await erasure.connection.texts(
            """
            SELECT 'request ' || status || ' ' || coalesce(error, '') FROM deletion_requests WHERE status <> 'done'
            UNION ALL SELECT 'merge ' || coalesce(error, '') FROM app_merges WHERE status <> 'done'
            UNION ALL SELECT 'zone change' FROM zone_changes
            UNION ALL SELECT 'day ' || cause FROM dirty_days
            UNION ALL SELECT 'late link' FROM suppressions WHERE NOT swept LIMIT 20
            """
        )
    }

    private func repeating(_ work: () async throws -> Void) async throws {
        while !isStopping.load(ordering: .relaxed), !Task.isCancelled {
            do {
                try await work()
            } catch let error as PostgresError where error.isRetryable {
                continue
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func close() async throws {
        try await bench.closeAll()
        _ = try await withConnection(to: bench.url) { try await ZoneChanges.finishAll($0) }
    }

    private func erase() async throws {
        // Attempts that failed wait for their time.
        erasure.clock.advance(ms: Span.minuteMs)
        try await erasure.pass(worker)
    }

    /// - Parameter stops: how many questions later the work is told to stop.
    private func move(_ stops: Int) async throws {
        let (erasure, url, stop) = (erasure, bench.url, StopAfter(stops))
        let summary = try await withConnection(to: url) { work in
            try await AppChangesRun(connection: work, chunk: 40) {
                try await EventStore(
                    connection: try await PostgresConnection(url: url, applicationName: "test-merge"),
                    topic: "events",
                    suppression: SuppressionFilter(erasure.hasher, clock: erasure.clock)
                )
            }
            .run(shouldStop: { stop.isReached })
        }
        if summary.failed > 0 { throw ChangeFailed() }
    }
}
