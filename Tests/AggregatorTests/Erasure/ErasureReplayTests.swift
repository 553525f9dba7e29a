import AggregatorCore
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// Nothing of an erased person comes back, by whatever way it arrives.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(3)))
struct ErasureReplayTests {
    let noon = EventMessage.Event.defaultMs

    @Test(arguments: UInt64(1)...4)
    func aReplayInAnyOrderChangesNothing(seed: UInt64) async throws {
        try await withErasure { erasure in
            let messages = [
                session(erasure.app, install: 1, at: noon - Span.dayMs),
                session(erasure.app, install: 1, at: noon, user: "42"),
                session(erasure.app, install: 1, at: noon + Span.hourMs),
                session(erasure.app, install: 1, at: noon + Span.dayMs, user: "43"),
                session(erasure.app, install: 2, at: noon, user: "42"),
                session(erasure.app, install: 3, at: noon),
            ]
            try await erasure.store.add(messages)
            try await erasure.erase(.user, "42")
            try await erasure.erase(.install, UUID128.fixed(3).description)
            let expected = try await erasure.facts()
            #expect(expected.events.count == 2)
            var random = SplitMix64(seed: seed)
            for message in messages.shuffled(using: &random) { try await erasure.store.add(message) }
            try await erasure.pass()
            #expect(try await erasure.facts() == expected)
        }
    }

    @Test func whatIsUnderWayWhileTheRequestRunsIsSuppressed() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(session(erasure.app, install: 1, at: noon, user: "42"))
            _ = try await erasure.request(.user, "42")
            let stuck = erasure.worker { if $0 == .close { throw FailAt.Failure() } }
            try await erasure.pass(stuck)
            let nowMs = erasure.clock.nowMs() + 5 * Span.minuteMs
            let outcome = try await erasure.store.add(
                session(erasure.app, install: 1, at: nowMs, user: "42"),
                session(erasure.app, install: 1, at: nowMs)
            )
            #expect(outcome.suppressed == 4)
        }
    }

    /// A phone sends its queue long after: received after the end, happened before the request.
    @Test func aLateQueueIsSuppressed() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(session(erasure.app, install: 1, at: noon, user: "42"))
            let request = try await erasure.erase(.user, "42")
            let laterMs = try #require(request.completedAtMs) + Span.dayMs
            let outcome = try await erasure.store.add(
                session(erasure.app, install: 1, at: noon + Span.hourMs, user: "42", receivedAtMs: laterMs),
                session(erasure.app, install: 1, at: noon - Span.hourMs, receivedAtMs: laterMs),
                session(erasure.app, install: 1, at: request.requestedAtMs, user: "42", receivedAtMs: laterMs)
            )
            #expect(outcome.suppressed == 4 && outcome.new == 2)
        }
    }

    /// Up to ten minutes ahead is accepted as it is: such an event lies after the end of the request, yet was received before it.
    @Test func anEventDatedAheadIsErasedAndStaysAway() async throws {
        try await withErasure { erasure in
            let ahead = session(
                erasure.app,
                install: 1,
                at: erasureMs + 9 * Span.minuteMs,
                user: "42",
                receivedAtMs: erasureMs - 1_000
            )
            try await erasure.store.add(ahead)
            try await erasure.erase(.user, "42")
            #expect(try await erasure.eventCount() == 0)
            let outcome = try await erasure.store.add(ahead)
            #expect(outcome.suppressed == 2)
        }
    }

    /// The receiving machine's clock is ahead of the erasing one's.
    @Test func theEndIsNotBeforeTheReceiptOfWhatWasErased() async throws {
        try await withErasure { erasure in
            let stored = session(
                erasure.app,
                install: 1,
                at: erasureMs + Span.hourMs,
                user: "42",
                receivedAtMs: erasureMs + Span.hourMs
            )
            try await erasure.store.add(stored)
            _ = try await erasure.request(.user, "42")
            try await erasure.pass(erasure.worker { if $0 == .finish { throw FailAt.Failure() } })
            let passing = session(
                erasure.app,
                install: 1,
                at: erasureMs + 2 * Span.hourMs,
                user: "42",
                receivedAtMs: erasureMs + 2 * Span.hourMs
            )
            try await erasure.store.add(passing)
            erasure.clock.advance(ms: Span.minuteMs)
            #expect(try await erasure.pass().done == 1)
            let outcome = try await erasure.store.add(stored, passing)
            #expect(outcome.suppressed == 4)
        }
    }

    @Test(arguments: [true, false])
    func aLateEventShowsWhoseAnInstallWas(userComesFirst: Bool) async throws {
        try await withErasure { erasure in
            try await erasure.erase(.user, "42")
            // Nobody knew that install 5 was theirs.
            let anonymous = session(erasure.app, install: 5, at: noon)
            let named = session(erasure.app, install: 5, at: noon + Span.hourMs, user: "42")
            for message in userComesFirst ? [named, anonymous] : [anonymous, named] {
                try await erasure.store.add(message)
            }
            try await erasure.pass()
            #expect(
                try await erasure.facts()
                    == ErasedFacts(events: [], installs: [], users: [], userInstalls: [])
            )
            let waiting = try await erasure.connection.number(
                "SELECT count(*) FROM suppressions WHERE NOT swept OR sweep_install_id IS NOT NULL"
            )
            #expect(waiting == 0)
        }
    }

    @Test func aLateEventInTheSameBatchAsTheAnonymousOnes() async throws {
        try await withErasure { erasure in
            try await erasure.erase(.user, "42")
            let outcome = try await erasure.store.add(
                session(erasure.app, install: 5, at: noon),
                session(erasure.app, install: 5, at: noon + Span.hourMs, user: "42")
            )
            #expect(outcome.suppressed == 4)
        }
    }

    @Test(arguments: [true, false])
    func anInstallThatWasSomebodyElsesFirstKeepsItsAnonymousEvents(inOneBatch: Bool) async throws {
        try await withErasure { erasure in
            try await erasure.erase(.user, "42")
            let others = [
                session(erasure.app, install: 5, at: noon - Span.hourMs, user: "43"),
                session(erasure.app, install: 5, at: noon),
            ]
            let late = session(erasure.app, install: 5, at: noon + Span.hourMs, user: "42")
            if inOneBatch {
                try await erasure.store.add([late] + others)
            } else {
                try await erasure.store.add(others)
                try await erasure.store.add(late)
            }
            try await erasure.pass()
            #expect(try await erasure.eventCount() == 4)
        }
    }

    @Test func sweepingALateLinkClosesItsDays() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(session(erasure.app, install: 5, at: noon))
            try await erasure.bench.closeAll()
            try await erasure.erase(.user, "42")
            try await erasure.store.add(session(erasure.app, install: 5, at: noon + Span.hourMs, user: "42"))
            #expect(try await erasure.pass().events == 2)
            #expect(try await erasure.bench.closed("2026-10-14")?.sessions == 0)
        }
    }

    /// A link takes no more than the rule of its person: what came after the end is another life.
    @Test func aLateLinkLeavesWhatCameAfterTheEnd() async throws {
        try await withErasure { erasure in
            let request = try await erasure.erase(.user, "42")
            let afterMs = try #require(request.completedAtMs) + Span.hourMs
            try await erasure.store.add(
                session(erasure.app, install: 5, at: noon),
                session(erasure.app, install: 5, at: afterMs)
            )
            try await erasure.store.add(session(erasure.app, install: 5, at: noon + Span.hourMs, user: "42"))
            try await erasure.pass()
            #expect(try await erasure.eventCount() == 2)
            let first = try await erasure.connection.first("SELECT first_at FROM installs LIMIT 1") {
                try $0.timestampMs(0)
            }
            #expect(first == afterMs)
        }
    }

    @Test func othersInASuppressedBatchAreStored() async throws {
        try await withErasure { erasure in
            try await erasure.erase(.user, "42")
            let outcome = try await erasure.store.add(
                session(erasure.app, install: 1, at: noon, user: "42"),
                session(erasure.app, install: 2, at: noon, user: "43")
            )
            #expect(outcome.events == 4 && outcome.suppressed == 2 && outcome.new == 2)
        }
    }

    @Test func aStoreWithoutTheKeyRefusesToWork() async throws {
        try await withErasure { erasure in
            try await erasure.erase(.user, "42")
            try await withConnection(to: erasure.bench.url) { connection in
                let store = try await EventStore(connection: connection, topic: "events")
                let message = session(erasure.app, install: 1, at: noon, user: "42")
                await #expect(throws: SuppressionKeyMissing.self) { try await store.add(message) }
            }
        }
    }

    @Test func rulesGoAfterTwentySixMonths() async throws {
        try await withErasure { erasure in
            try await erasure.erase(.user, "42")
            let count: SQL = "SELECT count(*) FROM suppressions"
            erasure.clock.advance(ms: 780 * Span.dayMs)
            try await withConnection(to: erasure.bench.url) { try await erasure.worker().prune($0) }
            #expect(try await erasure.connection.number(count) == 1)
            erasure.clock.advance(ms: 15 * Span.dayMs)
            try await withConnection(to: erasure.bench.url) { try await erasure.worker().prune($0) }
            #expect(try await erasure.connection.number(count) == 0)
        }
    }
}
