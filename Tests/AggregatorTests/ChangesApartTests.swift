import AggregatorCore
import Contracts
import Postgres
import Schema
import TestSupport
import Testing

/// Changes of one app that rewrite the same rows: which of them are refused beside another, and which wait.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(3)))
struct ChangesApartTests {
    private func change(_ app: TestApp, to zone: String, _ connection: PostgresConnection) async throws {
        let number = app.number
        _ = try await connection.transaction {
            try ZoneChanges.request(app: number, timezone: zone, $0)
        }
    }

    private func mergeRefusal(
        _ source: TestApp,
        _ target: TestApp,
        _ connection: PostgresConnection
    ) async throws -> AppChangeRefusal? {
        do {
            try await AppChanges.beginMerge(of: source.id, into: target.id, connection)
            return nil
        } catch let refusal as AppChangeRefusal {
            return refusal
        }
    }

    @Test func aMergeIsRefusedWhileOneOfTheAppsChangesItsZone() async throws {
        try await withStore { bench in
            let source = try await TestApp.make(bench.connection)
            try await bench.store.add(.valid(app: bench.app.id))
            try await change(bench.app, to: "Asia/Tokyo", bench.connection)
            let into = try await mergeRefusal(source, bench.app, bench.connection)
            let from = try await mergeRefusal(bench.app, source, bench.connection)
            #expect(into == .zoneChangeOpen && from == .zoneChangeOpen)
            try await bench.closeAll()
            _ = try await ZoneChanges.finishAll(bench.connection)
            #expect(try await mergeRefusal(source, bench.app, bench.connection) == nil)
        }
    }

    @Test func aChangeOfZoneIsRefusedForBothSidesOfAMerge() async throws {
        try await withStore { bench in
            let source = try await TestApp.make(bench.connection)
            try await AppChanges.beginMerge(of: source.id, into: bench.app.id, bench.connection)
            for app in [source, bench.app] {
                await #expect(throws: ZoneChangeRefusal.appIsChanging) {
                    try await change(app, to: "Asia/Tokyo", bench.connection)
                }
            }
            try await bench.carryOn()
            try await change(bench.app, to: "Asia/Tokyo", bench.connection)
            #expect(try await bench.connection.number("SELECT count(*) FROM zone_changes LIMIT 1") == 1)
        }
    }

    @Test func aChangeOfZoneIsRefusedForAnAppThatIsDeleted() async throws {
        try await withStore { bench in
            try await AppChanges.beginDeletion(of: bench.app.id, bench.connection)
            await #expect(throws: ZoneChangeRefusal.appIsChanging) {
                try await change(bench.app, to: "Asia/Tokyo", bench.connection)
            }
        }
    }

    /// The reason is the first thing that stands in the way, and equal apps are refused as such.
    @Test func anAppIsNotMergedIntoItselfWhateverElseItDoes() async throws {
        try await withStore { bench in
            try await change(bench.app, to: "Asia/Tokyo", bench.connection)
            #expect(try await mergeRefusal(bench.app, bench.app, bench.connection) == .sameApp)
        }
    }

    /// An erasure asked of either side waits, is the target's afterwards and takes what came from both.
    @Test(arguments: [true, false])
    func anErasureAskedWhileAMergeRunsIsFulfilledInTheTarget(isAskedOfSource: Bool) async throws {
        try await withErasure { erasure in
            let source = try await TestApp.make(erasure.connection)
            let ms = EventMessage.Event.defaultMs
            try await erasure.store.add(session(erasure.app, install: 1, at: ms, user: "erin"))
            try await erasure.store.add(session(source, install: 2, at: ms, user: "erin"))
            try await erasure.store.add(session(source, install: 3, at: ms, user: "oscar"))
            try await AppChanges.beginMerge(of: source.id, into: erasure.app.id, erasure.connection)
            let request = try await erasure.request(
                .user,
                "erin",
                app: isAskedOfSource ? source : erasure.app
            )
            let early = try await erasure.pass()
            #expect(early.done == 0)
            try await erasure.bench.carryOn()
            let late = try await erasure.pass()
            #expect(late.done == 1 && late.events == 4)
            let done = try await erasure.connection.perform { try DeletionRequests.find(request.id, $0) }
            #expect(done?.status == .done && done?.appNumber == erasure.app.number)
            #expect(try await erasure.eventCount() == 2)
        }
    }

    /// Between the last look for such requests and the end of the source's row.
    @Test func aRequestOfTheLastMomentGoesToTheTarget() async throws {
        try await withErasure { erasure in
            let source = try await TestApp.make(erasure.connection)
            try await AppChanges.beginMerge(of: source.id, into: erasure.app.id, erasure.connection)
            let request = try await erasure.request(.user, "erin", app: source)
            let number = source.number
            _ = try await erasure.connection.number("SELECT delete_app_rows(\(number), 100) LIMIT 1")
            _ = try await erasure.connection.rows("SELECT finish_app_change(\(number)) LIMIT 1") { _ in }
            let found = try await erasure.find(request)
            #expect(found.appNumber == erasure.app.number && found.status == .pending)
        }
    }
}
