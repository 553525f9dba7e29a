import Foundation
import Gzip
import Synchronization
import Testing

extension PipelineTests {
    /// Goal: under everything at once, with the broker stopped and resumed twice, ingest neither crashes nor leaks nor loses what it acknowledged.
    ///
    /// `FOREGROUND_LOAD_SECONDS` sets the length.
    @Suite(.enabled(if: TestSetting.brokerProgram != nil, "set TEST_BROKER_BIN")) struct MixedLoadTests {
        private static let seconds =
            Double(ProcessInfo.processInfo.environment["FOREGROUND_LOAD_SECONDS"] ?? "") ?? 12

        /// What memory may keep: caches of the allocator's threads and of the broker's client.
        private static let keptBytesMax = 48 << 20

        @Test func everythingAtOnceWithTheBrokerStoppedTwice() async throws {
            try await withBroker { broker in
                try await Stack.run(brokers: broker.address) { stack in
                    let ingest = try await stack.start(
                        .ingest,
                        ["INGEST_ANSWER_MS_MAX": "2000", "LOG_LEVEL": "info"]
                    )
                    let app = try await stack.createApp()
                    let load = MixedLoad(port: ingest.servicePort ?? 0, key: app.anyKey)
                    // Every path once, so that what is made once is no leak.
                    try await load.run(seconds: 1.5)
                    try await wait(until: "all connections are closed") {
                        ingest.openConnections == 0
                    }
                    let before = ingest.residentBytes

                    let peak = try await peakMemory(of: ingest) {
                        async let running: Void = load.run(seconds: Self.seconds)
                        for _ in 0..<2 {
                            try await Task.sleep(for: .seconds(Self.seconds / 6))
                            broker.freeze()
                            try await Task.sleep(for: .seconds(Self.seconds / 5))
                            broker.thaw()
                        }
                        try await running
                    }

                    #expect(ingest.process.isRunning, "\(ingest.process.logText.suffix(2_000))")
                    try await wait(until: "all connections are closed") { ingest.openConnections == 0 }
                    try await wait(until: "memory is back near \(before)", seconds: 30) {
                        ingest.residentBytes <= before + Self.keptBytesMax
                    }
                    let totals = load.record.snapshot
                    report(totals, memory: (before, peak, ingest.residentBytes))
                    #expect(Set(totals.statuses.keys).isSubset(of: [200, 400, 401, 413, 415, 429, 503]))
                    for status in [200, 400, 413, 503] {
                        #expect(totals.statuses[status] ?? 0 > 0, "\(status)")
                    }
                    let stored = Set(try await TopicTool.storedEvents(of: stack).keys)
                    #expect(totals.acknowledged.count > 100)
                    #expect(totals.acknowledged.subtracting(stored) == [])
                    #expect(try await ingest.ops("/readyz").status == 200)
                    #expect(try await ingest.process.terminate() == 0)
                }
            }
        }

        /// The most memory the process had while `body` ran.
        private func peakMemory(of ingest: RunningService, _ body: () async throws -> Void) async throws
            -> Int
        {
            let watch = Task {
                var peak = 0
                while !Task.isCancelled {
                    peak = max(peak, ingest.residentBytes)
                    try? await Task.sleep(for: .milliseconds(100))
                }
                return peak
            }
            defer { watch.cancel() }
            try await body()
            watch.cancel()
            return await watch.value
        }

        private func report(_ totals: LoadRecord.Totals, memory: (before: Int, peak: Int, after: Int)) {
            let statuses = totals.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            let kinds = totals.kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            print(
                "mixed load of \(Self.seconds) s: \(statuses.joined(separator: ", ")); broken \(totals.broken);",
                "\(kinds.joined(separator: ", ")); acknowledged \(totals.acknowledged.count);",
                "slowest answer \(totals.slowestMs) ms; memory before, peak, after (MiB):",
                "\(memory.before >> 20), \(memory.peak >> 20), \(memory.after >> 20)"
            )
        }
    }
}

/// Every kind of client at once.
struct MixedLoad: Sendable {
    let port: Int
    let key: String
    let record = LoadRecord()
    private static let validClients = 6
    private static let slowConnections = 30
    private static let pauseMicroseconds: UInt32 = 10_000

    func run(seconds: Double) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        try await withThrowingTaskGroup { group in
            for number in 0..<Self.validClients {
                group.addTask { try await onThread { valid(number, until: end) } }
            }
            group.addTask { try await onThread { wrong(until: end) } }
            group.addTask { try await onThread { oversized(until: end) } }
            group.addTask { try await onThread { slow(until: end) } }
            group.addTask { try await onThread { aborted(until: end) } }
            try await group.waitForAll()
        }
    }

    private func client() -> LoadClient {
        LoadClient(port: port, key: key, seed: .random(in: 0 ... .max), record: record)
    }

    /// The first two fill their bodies to the limit.
    private func valid(_ number: Int, until end: ContinuousClock.Instant) {
        let client = client()
        while ContinuousClock.now < end {
            let bytes = number < 2 ? 1_048_576 : 0
            client.deliver(.random(in: 1...20), paddedTo: bytes, until: end + .seconds(30))
            usleep(Self.pauseMicroseconds * 3)
        }
    }

    private func wrong(until end: ContinuousClock.Instant) {
        let client = client()
        let bodies: [[UInt8]] = [
            Array("{".utf8), Array(repeating: UInt8(ascii: "["), count: 100_000), Draft(events: []).bytes,
            Draft(events: Draft.starts(501)).bytes, [0xFF, 0x00], Draft(Draft.event(["name": "x"])).bytes,
        ]
        let headers = [
            "", "Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n", "X-App-Key: pk_other\r\n",
        ]
        while ContinuousClock.now < end {
            _ = client.ask("wrong", bodies.randomElement() ?? [], headers.randomElement() ?? "")
            usleep(Self.pauseMicroseconds)
        }
    }

    private func oversized(until end: ContinuousClock.Instant) {
        let client = client()
        let huge = [UInt8](repeating: UInt8(ascii: " "), count: 1_500_000)
        let bomb = Gzip.deflate([UInt8](repeating: 0, count: 16 << 20))
        while ContinuousClock.now < end {
            _ = client.ask("oversized", huge)
            _ = client.ask("oversized", huge, isChunked: true)
            _ = client.ask("oversized", bomb, "Content-Encoding: gzip\r\n")
            usleep(Self.pauseMicroseconds * 5)
        }
    }

    /// Bodies that arrive byte by byte and are left behind at the end.
    private func slow(until end: ContinuousClock.Instant) {
        let request = client().request([UInt8](repeating: UInt8(ascii: " "), count: 200_000))
        let first = request.prefix(100_000)
        var connections: [RawConnection] = []
        while ContinuousClock.now < end {
            if connections.count < Self.slowConnections, let one = try? RawConnection(port: port),
                (try? one.send(Array(first))) != nil
            {
                connections.append(one)
                record.noteBroken("slow")
            }
            connections.removeAll { (try? $0.send([UInt8(ascii: " ")])) == nil }
            usleep(Self.pauseMicroseconds * 5)
        }
    }

    /// Breaks off in the middle of the body, or after it without waiting for the answer.
    private func aborted(until end: ContinuousClock.Instant) {
        let client = client()
        var isWhole = false
        while ContinuousClock.now < end {
            let request = client.request(client.batch(20).bytes)
            if let connection = try? RawConnection(port: port) {
                connection.breakOff()
                try? connection.send(isWhole ? request : Array(request.prefix(request.count / 2)))
                record.noteBroken("aborted")
            }
            isWhole.toggle()
            usleep(Self.pauseMicroseconds)
        }
    }
}

extension RunningService {
    /// Memory in use, as Linux counts it.
    var residentBytes: Int {
        let status =
            (try? String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// Connections of clients that the process still holds, whether or not their clients do.
    var openConnections: Int {
        let port = String(servicePort ?? 0, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - port.count) + port
        let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
        return table.split(separator: "\n").dropFirst().count { line in
            let fields = line.split(separator: " ")
            // 01 is established, 08 waits for us to close.
            return fields.count > 3 && fields[1].hasSuffix(suffix) && ["01", "08"].contains(fields[3])
        }
    }
}
