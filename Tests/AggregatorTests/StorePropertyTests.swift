import AggregatorCore
import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing

/// Goal: what is stored depends on the messages alone, not on how they came.
///
/// Method: the same seeded messages for two apps of one database; one gets them in order, one message at a time; the other shuffled, with
/// repeats, in batches of random sizes and from two stores at once. Then everything once more, for nothing to move.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct StorePropertyTests {
    @Test(arguments: UInt64(1)...10)
    func theWayOfArrivalLeavesNoTrace(seed: UInt64) async throws {
        try await withStore { bench in
            try await withConnection(to: bench.url) { own in
                let rival = try await EventStore(connection: own, topic: "events")
                let other = try await TestApp.make(bench.connection)
                let messages = Self.messages(seed: seed)
                for message in messages { try await bench.store.add(message.of(bench.app)) }

                let shuffled = Self.deliveries(messages.map { $0.of(other) }, seed: seed)
                async let first: Void = Self.addAll(shuffled[0], to: bench.store)
                async let second: Void = Self.addAll(shuffled[1], to: rival)
                _ = try await (first, second)

                let expected = try await StoredFacts.of(bench.app, bench.connection)
                var found = try await StoredFacts.of(other, bench.connection)
                #expect(found == expected)
                #expect(expected.events.count == messages.reduce(0) { $0 + $1.events.count })
                for round in UInt64(1)...2 {
                    let again = Self.deliveries(messages.map { $0.of(other) }, seed: seed + 1_000 * round)
                    try await Self.addAll(again[0] + again[1], to: rival)
                    found = try await StoredFacts.of(other, bench.connection)
                    #expect(found == expected, "replay \(round)")
                }
                let faults = try await bench.connection.numberingFaults()
                #expect(faults.isEmpty)
            }
        }
    }

    private static func addAll(_ batches: [[EventMessage]], to store: EventStore) async throws {
        for batch in batches { try await store.addRetrying(batch) }
    }

    /// Two shares of the same messages, cut into batches; some messages are in both, some twice in one.
    private static func deliveries(_ messages: [EventMessage], seed: UInt64) -> [[[EventMessage]]] {
        var random = SplitMix64(seed: seed &* 7_919)
        var shares: [[EventMessage]] = [[], []]
        for message in messages {
            let share = Int.random(in: 0...1, using: &random)
            shares[share].append(message)
            while Int.random(in: 0..<4, using: &random) == 0 {
                shares[Int.random(in: 0...1, using: &random)].append(message)
            }
        }
        return shares.map { share in
            var rest = share.shuffled(using: &random)[...]
            var batches: [[EventMessage]] = []
            while !rest.isEmpty {
                let size = Int.random(in: 1...12, using: &random)
                batches.append(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            return batches
        }
    }

    /// Few people, accounts and contexts, equal times, both environments, times around a month's end.
    private static func messages(seed: UInt64) -> [EventMessage] {
        var random = SplitMix64(seed: seed)
        let border = utcMs("2026-11-01")
        return (0..<60).map { _ in
            let events = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                event(around: border, using: &random)
            }
            let latest = events.map(\.eventTimeMs).max() ?? border
            return EventMessage.valid(
                app: .zero,
                install: .fixed(.random(in: 1...8, using: &random)),
                events
            ) {
                $0.receivedAtMs = latest + .random(in: 0...Span.dayMs, using: &random)
                $0.contexts = AppEnvironment.allCases.map { environment in
                    .valid {
                        $0.environment = environment
                        $0.appVersion =
                            Bool.random(using: &random) ? nil : "\(Int.random(in: 1...3, using: &random))"
                    }
                }
            }
        }
    }

    private static func event(around border: Int64, using random: inout SplitMix64) -> EventMessage.Event {
        let user = Int.random(in: 0...4, using: &random)
        // Hours, so that many events share an instant and the insert id decides.
        let ms = border + Span.hourMs * .random(in: -60...60, using: &random)
        let session = UUID128.fixed(.random(in: 1...40, using: &random))
        let insertID = UUID128.random(using: &random)
        let context = Int.random(in: 0..<8, using: &random) == 0 ? 1 : 0
        if Bool.random(using: &random) {
            return .start(at: ms, session: session, user: user == 0 ? nil : "user \(user)") {
                $0.insertID = insertID
                $0.context = context
            }
        }
        return .end(
            at: ms,
            session: session,
            durationMs: .random(in: 0...EventLimits.durationMsMax, using: &random),
            user: user == 0 ? nil : "user \(user)"
        ) {
            $0.insertID = insertID
            $0.context = context
        }
    }
}
