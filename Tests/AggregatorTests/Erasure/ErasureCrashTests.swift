import AggregatorCore
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// An erasure that is interrupted, fails, or meets another worker.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct ErasureCrashTests {
    let noon = EventMessage.Event.defaultMs
    /// So that even a small world takes many transactions.
    let small = ErasureLimits(eventsMax: 2, installsMax: 2, usersMax: 2, rulesMax: 2, messagesMax: 2)

    func world(_ app: TestApp) -> [EventMessage] {
        (1...5).flatMap { install in
            [
                session(app, install: install, at: noon - Span.dayMs),
                session(app, install: install, at: noon, user: "42"),
                session(app, install: install, at: noon + Span.hourMs, user: "other \(install % 2)"),
                session(app, install: install, at: noon + 2 * Span.hourMs),
            ]
        }
    }

    @Test(arguments: [DeletionSubjectType.user, .install])
    func whereverItStopsTheNextWorkerGoesOn(type: DeletionSubjectType) async throws {
        let value = type == .user ? "42" : UUID128.fixed(3).description
        var expected: ErasedFacts?
        var position = 1
        var hasFailed = true
        try await withErasure { erasure in
            let messages = world(erasure.app)
            try await erasure.store.add(messages)
            try await erasure.erase(type, value)
            expected = try await erasure.facts()
            // Every position in one database: after each, the world is stored anew by lifting the rules.
            while hasFailed {
                try await erasure.connection.script("DELETE FROM suppressions; DELETE FROM deletion_requests")
                try await erasure.connection.script("UPDATE store_epoch SET epoch = epoch + 1")
                try await erasure.store.add(messages)
                try await erasure.bench.closeAll()
                let request = try await erasure.request(type, value)
                let failure = FailAt(position)
                let broken = erasure.worker(limits: small) { try failure.check($0) }
                _ = try await erasure.pass(broken)
                hasFailed = failure.hasFailed
                // What comes in between belongs to the subject as well, or is a repeat.
                try await erasure.store.add(messages)
                erasure.clock.advance(ms: Span.minuteMs)
                try await erasure.pass(erasure.worker(limits: small))
                #expect(try await erasure.find(request).status == .done, "\(position)")
                #expect(try await erasure.facts() == expected, "\(position)")
                #expect(
                    try await erasure.bench.marks().allSatisfy { !$0.hasSuffix("erasure") },
                    "\(position)"
                )
                try await erasure.bench.closeAll()
                try await expectDaysEqualOracleOfAny(erasure.bench, zone: "UTC")
                position += 1
            }
        }
        #expect(expected?.events.isEmpty == false)
        #expect(position > 12)
    }

    @Test func failuresAreCountedAndTheLastOneIsTold() async throws {
        try await withErasure { erasure in
            let notices = NotedNotices()
            let request = try await erasure.request(.user, "secret-person")
            let broken = erasure.worker(attemptsMax: 3, notifier: notices) {
                if $0 == .drain { throw FailAt.Failure() }
            }
            for attempt in 1...3 {
                try await erasure.pass(broken)
                let found = try await erasure.find(request)
                #expect(found.attempts == attempt && found.error == "internal_error")
                #expect(found.status == (attempt < 3 ? .running : .failed))
                // Too early for another one.
                #expect(try await erasure.pass(broken) == ErasurePass())
                erasure.clock.advance(ms: 10_000)
            }
            #expect(notices.all == ["Test \(request.id) 3"])
            #expect(try await erasure.find(request).value == "secret-person")
            // A request that failed may still be stopping the person's events.
            let outcome = try await erasure.store.add(
                session(erasure.app, install: 1, at: erasure.clock.nowMs() + 1, user: "secret-person")
            )
            #expect(outcome.suppressed == 2)
        }
    }

    @Test func aFailedRequestCanBeTriedAgain() async throws {
        try await withErasure { erasure in
            let request = try await erasure.request(.user, "42")
            try await erasure.pass(erasure.worker(attemptsMax: 1) { _ in throw FailAt.Failure() })
            let nowMs = erasure.clock.nowMs()
            let again = try await erasure.connection.perform {
                try DeletionRequests.retry(request.id, nowMs: nowMs, $0)
            }
            #expect(again?.status == .pending && again?.attempts == 0 && again?.error == nil)
            try await erasure.pass()
            #expect(try await erasure.find(request).status == .done)
        }
    }

    @Test func aNewRequestTakesAFailedOneOver() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(world(erasure.app))
            let failed = try await erasure.request(.user, "42")
            let failure = FailAt(9)
            try await erasure.pass(
                erasure.worker(limits: small, attemptsMax: 1) { try failure.check($0) }
            )
            #expect(try await erasure.find(failed).status == .failed)
            let next = try await erasure.erase(.user, "42")
            #expect(next.id != failed.id)
            let old = try await erasure.find(failed)
            #expect(old.value == nil && old.status == .failed && old.error == "done_by_a_later_request")
            let open = try await erasure.connection.number(
                "SELECT count(*) FROM suppressions WHERE request_id <> \(next.id)::uuid OR NOT isfinite(finished_at)"
            )
            #expect(open == 0)
            let facts = try await erasure.facts()
            try await erasure.store.add(world(erasure.app).filter { $0.events[0].userID == nil })
            try await erasure.pass()
            #expect(try await erasure.facts() == facts)
        }
    }

    @Test func twoWorkersDoARequestOnce() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(world(erasure.app))
            _ = try await erasure.request(.user, "42")
            _ = try await erasure.request(.install, UUID128.fixed(3).description)
            _ = try await erasure.request(.user, "other 0")
            async let first = erasure.pass(erasure.worker(limits: small))
            async let second = erasure.pass(erasure.worker(limits: small))
            _ = try await (first, second)
            try await erasure.pass()
            let done = try await erasure.connection.number(
                "SELECT count(*) FROM deletion_requests WHERE status = 'done'"
            )
            #expect(done == 3)
            // Installs 1 and 5 keep what "other 1" sent; 3 is gone.
            #expect(try await erasure.facts().events.count == 4)
        }
    }

    @Test func aLostConnectionIsNoFailedAttempt() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(world(erasure.app))
            let request = try await erasure.request(.user, "42")
            let victim = try await PostgresConnection(url: erasure.bench.url, applicationName: "victim")
            let other = try await PostgresConnection(url: erasure.bench.url, applicationName: "killer")
            let pid = try await victim.processID()
            let worker = erasure.worker(limits: small) { step in
                guard step == .repair else { return }
                throw PostgresError(sqlState: "57P01", message: "terminated")
            }
            await #expect(throws: PostgresError.self) { _ = try await worker.pass(victim) }
            try await other.execute("SELECT pg_terminate_backend(\(pid)) LIMIT 1")
            await other.close()
            #expect(try await erasure.find(request).attempts == 0)
            while try await erasure.pass().done == 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await erasure.find(request).status == .done)
        }
    }
}
