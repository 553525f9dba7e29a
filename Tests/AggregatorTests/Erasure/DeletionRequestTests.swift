import AggregatorCore
import Contracts
import Postgres
import Schema
import TestSupport
import Testing

/// The life of a request as those see it who make and watch it.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct DeletionRequestTests {
    @Test func aNewRequestIsPendingAndNamesItsSubject() async throws {
        try await withErasure { erasure in
            let request = try await erasure.request(.user, "42")
            #expect(request.status == .pending && request.value == "42" && request.type == .user)
            #expect(request.appID == erasure.app.id && request.source == .api)
            #expect(request.requestedAtMs == erasureMs)
            #expect(request.startedAtMs == nil && request.completedAtMs == nil && request.error == nil)
        }
    }

    @Test func askingAgainBeforeItIsDoneFindsTheSame() async throws {
        try await withErasure { erasure in
            let first = try await erasure.request(.user, "42")
            #expect(try await erasure.request(.user, "42").id == first.id)
            #expect(try await erasure.request(.user, "43").id != first.id)
            #expect(try await erasure.request(.install, UUID128.fixed(1).description).id != first.id)
            try await erasure.pass(erasure.worker { if $0 == .drain { throw FailAt.Failure() } })
            let running = try await erasure.request(.user, "42")
            #expect(running.id == first.id && running.status == .running && running.startedAtMs != nil)
        }
    }

    @Test func askingAgainAfterwardsIsANewRequest() async throws {
        try await withErasure { erasure in
            let first = try await erasure.erase(.user, "42")
            #expect(try await erasure.request(.user, "42").id != first.id)
        }
    }

    @Test func aDoneRequestNamesNobody() async throws {
        try await withErasure { erasure in
            let done = try await erasure.erase(.install, UUID128.fixed(1).description)
            #expect(done.value == nil && done.error == nil)
            #expect(done.completedAtMs == erasureMs + Span.minuteMs)
            let hash = try await erasure.connection.first(
                "SELECT subject_hash FROM deletion_requests LIMIT 1"
            ) {
                try $0.bytes(0)
            }
            #expect(hash == erasure.hasher.install(.fixed(1)))
        }
    }

    @Test func anotherAppsRequestIsNotFound() async throws {
        try await withErasure { erasure in
            let request = try await erasure.request(.user, "42")
            let (own, id) = (erasure.app.number, request.id)
            let found = try await erasure.connection.perform {
                try (
                    DeletionRequests.find(app: own, id, $0)?.id,
                    DeletionRequests.find(app: own + 1, id, $0)?.id
                )
            }
            #expect(found.0 == id && found.1 == nil)
        }
    }

    @Test(arguments: ["foreground_reader", "foreground_console"])
    func whoeverShowsReportsMayAsk(role: String) async throws {
        try await withErasure { erasure in
            try await withConnection(to: url(erasure.bench.url, actingAs: role)) { connection in
                let number = erasure.app.number
                let subject = try #require(DeletionSubject(.user, "42"))
                for _ in 0..<2 {
                    let made = try await connection.perform {
                        try DeletionRequests.create(app: number, subject, source: .console, nowMs: 0, $0)
                    }
                    #expect(made.status == .pending && made.source == .console)
                }
            }
        }
    }

    @Test func manyWhoAskAtOnceGetOneRequest() async throws {
        try await withErasure { erasure in
            let (address, number) = (erasure.bench.url, erasure.app.number)
            let subject = try #require(DeletionSubject(.user, "42"))
            let ids = try await withThrowingTaskGroup(of: UUID128.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await withConnection(to: address) { connection in
                            try await connection.perform {
                                try DeletionRequests.create(app: number, subject, source: .api, nowMs: 1, $0)
                                    .id
                            }
                        }
                    }
                }
                return try await group.reduce(into: Set<UUID128>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
        }
    }

    @Test(
        arguments: [
            (DeletionSubjectType.user, ""), (.user, String(repeating: "x", count: 129)), (.user, "a\u{0}b"),
            (.install, "42"), (.install, UUID128.zero.description),
        ]
    )
    func whatNoEventCanCarryIsNoSubject(type: DeletionSubjectType, value: String) {
        #expect(DeletionSubject(type, value) == nil)
    }
}
