import AggregatorCore
import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing

/// Two instances that store at the same moment.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct StoreRaceTests {
    @Test func numbersStayDenseAndUnique() async throws {
        try await withTwoStores { bench, other in
            // Both meet the same new users, in opposite order, on installs of their own.
            async let first = Self.addAll(Self.batches(bench.app, seed: 1), to: bench.store)
            async let second = Self.addAll(Self.batches(bench.app, seed: 2).reversed(), to: other)
            let new = try await first + second
            #expect(new == 2 * 20 * 25)
            let faults = try await bench.connection.numberingFaults()
            #expect(faults.isEmpty)
            let users = try await bench.connection.number("SELECT count(*) FROM users LIMIT 1")
            #expect(users == 25)
        }
    }

    /// B60: one user on 500 installs spread over two instances.
    @Test func oneUserOnManyInstallsEndsWithTheSameFacts() async throws {
        try await withTwoStores { bench, other in
            let noon = EventMessage.Event.defaultMs
            let messages = (0..<500).map { number in
                EventMessage.valid(
                    app: bench.app.id,
                    install: .fixed(UInt64(number)),
                    [.start(at: noon - Int64(number) * 1_000, user: "42")]
                )
            }
            let batches = messages.chunked(25)
            async let first = Self.addAll(
                batches.enumerated().filter { $0.offset % 2 == 0 }.map(\.element),
                to: bench.store
            )
            async let second = Self.addAll(
                batches.enumerated().filter { $0.offset % 2 == 1 }.map(\.element),
                to: other
            )
            let new = try await first + second
            #expect(new == 500)
            let seen = try await bench.connection.first(
                "SELECT first_at FROM users LIMIT 1"
            ) { try $0.timestampMs(0) }
            #expect(seen == noon - 499_000)
            let links = try await bench.connection.number("SELECT count(*) FROM user_installs LIMIT 1")
            #expect(links == 500)
        }
    }

    @Test func aDeadlockIsWorthAnotherTry() async throws {
        try await withStore { bench in
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1)))
            try await withConnection(to: bench.url) { own in
                let store = try await EventStore(connection: own, topic: "events")
                // The store looks for a deadlock after this time, the rival never does, so the store is the one to fail.
                try await own.script("SET deadlock_timeout = '2s'")
                let batch = [
                    DecodedMessage(
                        partition: 0,
                        offset: 0,
                        content: .events(.valid(app: bench.app.id, install: .fixed(2)))
                    )
                ]
                let progress = [PartitionProgress(partition: 0, expected: 0, next: 1)]
                let storing = try await own.processID()
                try await withConnection(to: bench.url) { rival in
                    try await rival.script(
                        "SET deadlock_timeout = '1h'; BEGIN; SELECT FROM number_counters FOR UPDATE"
                    )
                    async let attempt = sqlState(of: { try await store.store(batch, progress: progress) })
                    try await bench.connection.waitUntilBlocked(storing)
                    // The store waits for the counters, and the rival now for the partition's row.
                    try await rival.script("INSERT INTO consumer_offsets VALUES ('events', 0, 0); ROLLBACK")
                    let state = try await attempt
                    #expect(state == "40P01")
                }
                let outcome = try await store.store(batch, progress: progress)
                #expect(outcome.new == 1)
            }
        }
    }

    /// Two installs with one insert id in two partitions of the topic, stored in the same moment.
    @Test func theLoserOfOneInsertIDLeavesNoTrace() async throws {
        try await withTwoStores { bench, other in
            let noon = EventMessage.Event.defaultMs
            // Both installs and the user are known, so that nothing else makes one store wait for the other.
            for install in [1, 2] as [UInt64] {
                let known = EventMessage.Event.start(at: noon, user: "42")
                try await bench.store.add(.valid(app: bench.app.id, install: .fixed(install), [known]))
            }
            let event = EventMessage.Event.start(at: noon - Span.dayMs, user: "42") {
                $0.insertID = .fixed(1)
            }
            let rows: SQL =
                "SELECT i.install_id::text || i.first_at::date FROM installs i ORDER BY 1 LIMIT 10"
            let winner = EventMessage.valid(app: bench.app.id, install: .fixed(1), [event])
            let loser = EventMessage.valid(app: bench.app.id, install: .fixed(2), [event])

            try await withConnection(to: bench.url) { gate in
                // Stops the winner after its rows are written and before it commits.
                try await gate.script("BEGIN; LOCK TABLE dirty_days IN EXCLUSIVE MODE")
                let processes = try await storeProcesses(bench)
                async let first = bench.store.add([winner])
                try await bench.connection.waitUntilBlocked(processes[0])
                async let second = other.addRetrying([loser])
                try await bench.connection.waitUntilBlocked(processes[1])
                try await gate.script("COMMIT")
                let new = try await [first.new, second.new]
                #expect(new == [1, 0])
            }
            let seen = try await bench.connection.texts(rows)
            #expect(seen.map { $0.suffix(2) } == ["13", "14"])
        }
    }

    private func withTwoStores(_ body: (StoreBench, EventStore) async throws -> Void) async throws {
        try await withStore { bench in
            try await withConnection(to: bench.url) { own in
                try await body(bench, try await EventStore(connection: own, topic: "events"))
            }
        }
    }

    /// The sessions of the stores in the order they were opened.
    private func storeProcesses(_ bench: StoreBench) async throws -> [Int] {
        try await bench.connection.rows(
            """
            SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'test-other'
            ORDER BY backend_start LIMIT 100
            """
        ) { try $0.int(0) }
    }

    private static func addAll(_ batches: [[EventMessage]], to store: EventStore) async throws -> Int {
        var new = 0
        for batch in batches { new += try await store.addRetrying(batch).new }
        return new
    }

    private static func batches(_ app: TestApp, seed: UInt64) -> [[EventMessage]] {
        var random = SplitMix64(seed: seed)
        return (0..<20).map { batch in
            (0..<25).map { user in
                .valid(
                    app: app.id,
                    install: .random(using: &random),
                    [.start(at: EventMessage.Event.defaultMs + Int64(batch), user: "user \(user)")]
                )
            }
        }
    }
}

extension Array {
    func chunked(_ size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
