import AggregatorCore
import Contracts
import Foundation
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// Goal: one person on very many installs, and very many people on one install, are erased in transactions of a bounded size.
///
/// Method: worlds just larger than several chunks of the real limits; with `ERASURE_SCALE` set, of that many installs and users.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(10)))
struct ErasureScaleTests {
    static let size = ProcessInfo.processInfo.environment["ERASURE_SCALE"].flatMap { UInt64($0) } ?? 1_200
    let noon = EventMessage.Event.defaultMs

    @Test func oneUserOnVeryManyInstalls() async throws {
        try await withErasure { erasure in
            let app = erasure.app
            let messages = (1...Self.size).map { number in
                EventMessage.valid(
                    app: app.id,
                    install: .fixed(number),
                    [
                        .start(at: noon - Int64(number) * 1_000),
                        .start(at: noon + Int64(number % 30) * Span.dayMs / 10, user: "kiosk"),
                    ]
                )
            }
            for batch in messages.chunked(2_000) { try await erasure.store.add(batch) }
            let kept = session(app, install: 7, at: noon + 4 * Span.dayMs, user: "guest")
            try await erasure.store.add(kept)
            try await erasure.bench.closeAll()
            try await erase(.user, "kiosk", erasure)
            #expect(try await erasure.eventCount() == 2)
            #expect(try await erasure.facts().installs.count == 1)
        }
    }

    @Test func veryManyUsersOnOneInstall() async throws {
        try await withErasure { erasure in
            let app = erasure.app
            let messages = (1...Self.size).map { number in
                EventMessage.valid(
                    app: app.id,
                    install: .fixed(1),
                    [
                        .start(at: noon - Int64(number) * 1_000),
                        .start(at: noon + Int64(number) * 1_000, user: "guest \(number)"),
                    ]
                )
            }
            for batch in messages.chunked(2_000) { try await erasure.store.add(batch) }
            try await erasure.store.add(session(app, install: 2, at: noon, user: "guest 5"))
            try await erasure.bench.closeAll()
            let before = try await erasure.eventCount()
            try await erase(.user, "guest 6", erasure)
            #expect(try await erasure.eventCount() == before - 1)
            try await erase(.install, UUID128.fixed(1).description, erasure)
            #expect(try await erasure.eventCount() == 2)
            #expect(try await erasure.facts().users.count == 1)
        }
    }

    /// Notes the longest transaction when the world is a large one.
    private func erase(_ type: DeletionSubjectType, _ value: String, _ erasure: ErasureBench) async throws {
        let clock = ContinuousClock()
        let started = clock.now
        try await erasure.erase(type, value)
        if Self.size > 1_200 { print("\(type) of \(Self.size): \(clock.now - started)") }
    }
}
