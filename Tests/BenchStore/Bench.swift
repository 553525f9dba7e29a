import AggregatorCore
import Calendar
import Contracts
import Glibc
import JSON
import Kafka
import Postgres
import Schema
import ServiceKit
import Synchronization
import Wire

/// The measurements; each prints one JSON object.
struct Bench: Sendable {
    let events: Int
    private let url = Bench.environment("DATABASE_URL")
    private static let messagesMax = 5_000

    init(events: Int) { self.events = events }

    func copy() async throws {
        let connection = try await connect()
        try await Yardstick.make(connection)
        let backlog = Backlog(shape: .init(events: events), app: .zero)
        let seconds = try await timed {
            try await Yardstick.copy(backlog, into: "bench_events", connection)
        }
        try await connection.script("DROP TABLE bench_events")
        report(["events": Double(events), "seconds": seconds])
    }

    /// Stores without a broker, batch by batch in turn with bare COPY of the same rows, so that both meet the same machine.
    ///
    /// Making and encoding the messages is not counted.
    func store() async throws {
        let app = try await makeApp()
        let (own, bare) = (try await connect(), try await connect())
        let (ownCPU, bareCPU) = (try await BackendCPU(own), try await BackendCPU(bare))
        try await Yardstick.make(bare)
        let store = try await EventStore(connection: own, topic: "bench")
        var backlog = Backlog(shape: .init(events: events), app: app)
        let parser = JSONParser()
        var (decoding, storing, copying, stored) = (0.0, 0.0, 0.0, 0)
        while let part = backlog.take(messages: Self.messagesMax) {
            copying += try await timed { try await Yardstick.copy(part, into: "bench_events", bare) }
            let payloads = part.payloads
            var decoded: [DecodedMessage] = []
            decoding += try await timed {
                for (offset, payload) in payloads.enumerated() {
                    let message = try EventMessageDecoder.decode(payload, with: parser)
                    decoded.append(.init(partition: 0, offset: Int64(offset), content: .events(message)))
                }
            }
            let batch = decoded
            storing += try await timed { stored += try await store.store(batch, progress: []).new }
        }
        report([
            "events": Double(stored), "copy_seconds": copying, "decoding_seconds": decoding,
            "storing_seconds": storing, "ratio": copying / (decoding + storing), "peak_mib": peakMiB(),
            "copy_backend_cpu": bareCPU.seconds, "storing_backend_cpu": ownCPU.seconds,
        ])
    }

    /// Fills the topic; prints the app's id.
    func produce() async throws {
        let app = try await makeApp()
        let topic = Self.environment("KAFKA_EVENTS_TOPIC")
        let producer = try KafkaProducer(settings: [
            "bootstrap.servers": Self.environment("KAFKA_BROKERS"), "acks": "all", "linger.ms": "50",
            "compression.type": "lz4", "queue.buffering.max.messages": "200000",
        ])
        let failures = Atomic(0)
        var backlog = Backlog(shape: .init(events: events), app: app)
        let seconds = try await timed {
            while let item = backlog.next() {
                while producer.queuedMessages > 100_000 { try await Task.sleep(for: .milliseconds(10)) }
                let message = item.message
                try producer.produce(
                    EventMessageCodec.encode(message),
                    key: EventMessage.key(appID: message.appID, installID: message.installID),
                    to: topic
                ) { error in
                    if error != nil { failures.add(1, ordering: .relaxed) }
                }
            }
            while producer.queuedMessages > 0 { try await Task.sleep(for: .milliseconds(10)) }
        }
        report([
            "events": Double(events), "seconds": seconds,
            "failures": Double(failures.load(ordering: .relaxed)),
        ])
        await producer.close(flushMs: 10_000)
    }

    /// One day of `events` / 2 sessions, straight into the table, and its mark.
    func fillDay() async throws {
        let app = try await makeApp()
        let connection = try await connect()
        let number = try await connection.first("SELECT app_no FROM apps WHERE app_id = \(app)::uuid LIMIT 1")
        {
            try $0.int32(0)
        }
        for month in ["2026-09-15 00:00:00+00", "2026-10-15 00:00:00+00"] {
            try await connection.script("SELECT ensure_events_partition('\(month)')")
        }
        var shape = Backlog.Shape(events: events)
        shape.days = 1
        shape.installs = 400_000
        try await Yardstick.copy(Backlog(shape: shape, app: app), into: "events", as: number ?? 0, connection)
        try await connection.script(
            """
            INSERT INTO dirty_days (app_no, environment, day, cause) VALUES (\(number ?? 0), 0, '2026-10-02', 'events');
            ANALYZE events;
            """
        )
        report(["events": Double(events)])
    }

    func closeDay() async throws {
        let connection = try await connect()
        let before = peakMiB()
        var summary = ClosingSummary()
        let closer = DayCloser(connection: connection)
        let seconds = try await timed {
            for key in try await closer.waiting(through: .max, limit: 1) {
                if case .closed = try await closer.close(key) { summary.closed += 1 }
            }
        }
        let sessions = try await connection.first(
            "SELECT coalesce(max(sessions), 0)::bigint FROM closed_days LIMIT 1"
        ) { try $0.int(0) }
        report([
            "days": Double(summary.closed), "sessions": Double(sessions ?? 0), "seconds": seconds,
            "idle_mib": before, "peak_mib": peakMiB(),
        ])
    }

    /// Nine of ten messages with a context nobody has seen, the tenth one of the app itself.
    func contexts() async throws {
        let app = try await makeApp()
        let store = try await EventStore(connection: try await connect(), topic: "bench")
        var random = SplitMix64(seed: 3)
        var (storing, cut, made) = (0.0, 0, 0)
        let idleMiB = peakMiB()
        while made < events {
            let count = min(Self.messagesMax, events - made)
            let batch = (0..<count).map { offset in
                DecodedMessage(
                    partition: 0,
                    offset: Int64(offset),
                    content: .events(hostile(made + offset, app: app, &random))
                )
            }
            made += count
            storing += try await timed {
                cut += try await store.store(batch, progress: []).contextsCut.values.reduce(0, +)
            }
        }
        let connection = try await connect()
        let stored = try await connection.first("SELECT count(*) FROM events LIMIT 1") { try $0.int(0) }
        let real = try await connection.first(
            """
            SELECT count(*) FROM events e JOIN contexts c USING (app_no, context_no)
            WHERE c.device_model LIKE 'Real %' LIMIT 1
            """
        ) { try $0.int(0) }
        report([
            "contexts": Double(events), "cut": Double(cut), "seconds": storing, "peak_mib": peakMiB(),
            "idle_mib": idleMiB, "stored": Double(stored ?? 0), "real": Double((events + 9) / 10),
            "real_whole": Double(real ?? 0),
        ])
    }

    /// Every tenth is the app's own, from one of twenty devices.
    private func hostile(_ number: Int, app: UUID128, _ random: inout SplitMix64) -> EventMessage {
        var context = EventContext(environment: .production, platform: .web)
        context.deviceModel = number % 10 == 0 ? "Real \(number / 10 % 20)" : "made up \(number)"
        let event = EventMessage.Event(
            insertID: UUID128(high: random.next(), low: random.next()),
            name: .sessionStart,
            eventTimeMs: Backlog.firstMs,
            clientTimeMs: Backlog.firstMs,
            sessionID: UUID128(high: random.next(), low: random.next())
        )
        return EventMessage(
            appID: app,
            keyID: .zero,
            installID: UUID128(high: 1, low: UInt64(number % 100)),
            receivedAtMs: Backlog.firstMs,
            contexts: [context],
            events: [event]
        )
    }

    private func connect() async throws -> PostgresConnection {
        try await PostgresConnection(url: url, applicationName: "bench")
    }

    private func makeApp() async throws -> UUID128 {
        var random = SystemRandomNumberGenerator()
        let id = UUID128(high: random.next(), low: random.next())
        _ = try await connect().execute(
            """
            INSERT INTO apps (app_id, name, timezone, platforms)
            VALUES (\(id)::uuid, 'Bench', 'UTC', '{ios,android,web}')
            """
        )
        return id
    }

    private static func environment(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }
}

/// Seconds that `body` takes.
private func timed(_ body: () async throws -> Void) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    let taken = clock.now - start
    return Double(taken.components.seconds) + Double(taken.components.attoseconds) / 1e18
}

/// The most memory this process has held.
private func peakMiB() -> Double {
    guard let bytes = try? readFile("/proc/self/status", bytesMax: 65_536) else { return .nan }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmHWM:") {
        let kib = line.split(separator: " ").compactMap { Double($0) }.first ?? .nan
        return kib / 1_024
    }
    return .nan
}

private func report(_ figures: [String: Double]) {
    let members = figures.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
    print("{" + members.joined(separator: ", ") + "}")
}

/// CPU time of the server's process behind a connection, which runs on this machine.
private struct BackendCPU {
    private let process: Int

    init(_ connection: PostgresConnection) async throws {
        process = try await connection.first("SELECT pg_backend_pid() LIMIT 1") { try $0.int(0) } ?? 0
    }

    var seconds: Double {
        guard let bytes = try? readFile("/proc/\(process)/stat", bytesMax: 4_096) else { return .nan }
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard fields.count > 14, let user = Double(fields[13]), let system = Double(fields[14]) else {
            return .nan
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
