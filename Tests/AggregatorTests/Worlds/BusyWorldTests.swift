import AggregatorCore
import Calendar
import Contracts
import Foundation
import Postgres
import ServiceKit
import TestSupport
import Testing

/// Goal: whatever happens to an app at once, its numbers end as those of its raw events, and nobody erased is left anywhere.
///
/// Method: two apps of a few hundred installs; while their traffic comes, twice and late, in random order people and installs are erased, the
/// zone changes and changes back, and one app is merged into the other, with two closers at work all the time. Then blocks are compared with
/// plain SQL, all messages are replayed, everything expires, the counts that stay are compared with plain SQL, and all is replayed again.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(10)))
struct BusyWorldTests {
    private static let zones = [
        "UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York", "Asia/Kathmandu", "Pacific/Chatham",
        "America/St_Johns", "Pacific/Kiritimati", "Australia/Adelaide",
    ]

    /// More of them in the long run.
    private static let seeds: ClosedRange<UInt64> =
        ProcessInfo.processInfo.environment["FOREGROUND_LONG"] == nil ? 1...3 : 1...24

    @Test(arguments: seeds)
    func everythingAtOnceEndsInTheNumbersOfTheRawEvents(seed: UInt64) async throws {
        let zone = Self.zones[Int(seed) % Self.zones.count]
        let nowMs = utcMs(seed % 2 == 0 ? "2022-12-01" : "2023-05-01")
        try await withErasure(timezone: zone, nowMs: nowMs) { erasure in
            var random = SplitMix64(seed: seed)
            let source = try await TestApp.make(erasure.connection, timezone: "Asia/Tokyo")
            let world = try BusyWorld(
                seed: seed,
                zone: zone,
                target: erasure.app,
                source: source,
                using: &random
            )
            let ofTarget = BusyWorld.subjects(of: world.target, users: 5, installs: 3, &random)
            let ofSource = BusyWorld.subjects(of: world.source, users: 3, installs: 2, &random)
            var asked = ofTarget.map { BusyChange.erasure($0, ofSource: false) }
            asked += ofSource.map { BusyChange.erasure($0, ofSource: true) } + [.merge]
            for _ in 0..<3 { asked.append(.zone(Self.zones.randomElement(using: &random) ?? zone)) }
            let messages = (world.target + world.source).shuffled(using: &random)

            let changes = BusyChanges(erasure, source: source, zone: zone)
            async let work: Void = changes.workUntilStopped()
            let last = messages.suffix(200)
            try await send(messages.dropLast(200), asked.shuffled(using: &random), changes, &random)
            try await ask([.zone("Asia/Tokyo"), .zone(zone)], of: changes, during: Array(last))
            changes.stop()
            try await work
            try await changes.settle()

            let check = WorldCheck(erasure: erasure, messages: messages, zone: changes.zone)
            try await check.daysEqualPlainSQL()
            try await check.nobodyIsLeft(of: ofTarget + ofSource)
            try await check.replayChangesNothing(&random)
            try await check.frozenDaysEqualPlainSQL(expiry: seed % 2 == 0 ? "2025-01-01" : "2025-06-01")
            try await check.replayChangesNothing(&random)
            try await check.whoComesBackIsStored(try #require(ofTarget.first).value)
        }
    }

    /// A third of the traffic first, then the rest with changes in between; what is refused is asked again later.
    private func send(
        _ messages: ArraySlice<EventMessage>,
        _ asked: [BusyChange],
        _ changes: BusyChanges,
        _ random: inout SplitMix64
    ) async throws {
        var waiting = asked
        let store = changes.erasure.store
        let batches = Array(messages).chunked(30)
        for (number, batch) in batches.enumerated() {
            try await store.addRetrying(batch)
            if Int.random(in: 0..<4, using: &random) == 0 {
                // Redelivered by the topic.
                try await store.addRetrying(batches[.random(in: 0...number, using: &random)])
            }
            guard number > batches.count / 3, !waiting.isEmpty, Bool.random(using: &random) else { continue }
            let change = waiting.removeFirst()
            if try await !changes.ask(change) { waiting.append(change) }
        }
        while let change = waiting.first {
            waiting.removeFirst()
            if try await !changes.ask(change) {
                waiting.append(change)
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    /// One event after the other while the days of a new zone are built; nothing later marks these days again.
    private func ask(
        _ asked: [BusyChange],
        of changes: BusyChanges,
        during messages: [EventMessage]
    ) async throws {
        let share = messages.count / asked.count
        for (number, change) in asked.enumerated() {
            while try await !changes.ask(change) { try await Task.sleep(for: .milliseconds(10)) }
            for message in messages[number * share..<(number + 1) * share] {
                try await changes.erasure.store.addRetrying([message])
            }
        }
    }
}
