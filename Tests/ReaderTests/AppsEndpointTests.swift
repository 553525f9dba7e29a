import Contracts
import Postgres
import Schema
import TestSupport
import Testing

@testable import ReaderCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct AppsEndpointTests {
    private struct List: Decodable {
        var items: [App]
    }

    private struct App: Decodable {
        var id: String
        var name: String
        var platform: String?
        var platforms: [String]
        var timezone: String
        var status: String
        var createdAt: String
        var archivedAt: String?
    }

    private func ids(_ answer: HTTPAnswer) throws -> [String] {
        #expect(answer.status == 200)
        let list: List = try decoded(answer)
        return list.items.map(\.id)
    }

    @Test(arguments: ["merging", "deleting"]) func anAppThatGoesIsNotShown(status: String) async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.connection.execute(
                "UPDATE apps SET status = \(status) WHERE app_id = \(app.id)::uuid"
            )
            #expect(try ids(try await world.get("/v1/apps?include_archived=true")).isEmpty)
            #expect(try await world.get("/v1/apps/\(app.id)").status == 404)
        }
    }

    private func archive(_ app: TestApp, _ world: ReaderWorld) async throws {
        try await world.connection.execute(
            """
            UPDATE apps SET status = 'archived', archived_at = '2026-10-01T12:00:00Z'
            WHERE app_id = \(app.id)::uuid
            """
        )
    }

    @Test func listHasNoAppsAtFirst() async throws {
        try await withReader { world in
            let answer = try await world.get("/v1/apps")
            #expect(answer.body == #"{"items":[]}"#)
        }
    }

    @Test func listIsInOrderOfCreationAndLeavesArchivedOnesOut() async throws {
        try await withReader { world in
            let first = try await TestApp.make(world.connection, id: .fixed(9))
            let second = try await TestApp.make(world.connection, id: .fixed(5))
            let third = try await TestApp.make(world.connection, id: .fixed(7))
            try await archive(second, world)
            let ids = [first, second, third].map(\.id.description)
            #expect(try self.ids(try await world.get("/v1/apps")) == [ids[0], ids[2]])
            #expect(try self.ids(try await world.get("/v1/apps?include_archived=false")) == [ids[0], ids[2]])
            #expect(try self.ids(try await world.get("/v1/apps?include_archived=true")) == ids)
        }
    }

    @Test func appTellsItsFacts() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection, timezone: "Europe/Moscow")
            try await world.connection.execute(
                """
                UPDATE apps SET name = 'Заметки', platforms = '{ios,android}', created_at = '2026-09-01T10:00:00.25Z'
                WHERE app_id = \(app.id)::uuid
                """
            )
            let answer = try await world.get("/v1/apps/\(app.id)")
            let facts: App = try decoded(answer)
            #expect(facts.id == app.id.description)
            #expect(facts.name == "Заметки")
            #expect(facts.platform == "ios")
            #expect(facts.platforms == ["ios", "android"])
            #expect(facts.timezone == "Europe/Moscow")
            #expect(facts.status == "active")
            #expect(facts.createdAt == "2026-09-01T10:00:00.250Z")
            #expect(facts.archivedAt == nil)
            #expect(answer.header("Content-Type") == "application/json")
            #expect(answer.header("Cache-Control") == "private, no-cache")
        }
    }

    @Test func archivedAppIsFoundByItsIDAndStillReports() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await archive(app, world)
            let facts: App = try decoded(try await world.get("/v1/apps/\(app.id)"))
            #expect(facts.status == "archived")
            #expect(facts.archivedAt == "2026-10-01T12:00:00.000Z")
            #expect(try await world.summary(app, "from=2026-10-01&to=2026-10-01").figures.active == 0)
        }
    }

    @Test func keyOfOneAppSeesThatAppOnly() async throws {
        try await withReader { world in
            let own = try await TestApp.make(world.connection)
            let other = try await TestApp.make(world.connection)
            try await world.makeKey("sk_bound", app: own)
            #expect(try self.ids(try await world.get("/v1/apps", key: "sk_bound")) == [own.id.description])
            #expect(try await world.get("/v1/apps/\(own.id)", key: "sk_bound").status == 200)
            let range = "from=2026-10-01&to=2026-10-01&metric=active"
            for rest in [
                "", "/audience/summary?from=2026-10-01&to=2026-10-01", "/audience/timeseries?\(range)",
            ] {
                let hidden = try await world.get("/v1/apps/\(other.id)\(rest)", key: "sk_bound")
                let missing = try await world.get("/v1/apps/\(UUID128.random())\(rest)", key: "sk_bound")
                for answer in [hidden, missing] {
                    let error: ErrorAnswer = try decoded(answer)
                    #expect(answer.status == 404)
                    #expect(error.error.code == "app_not_found")
                    #expect(error.error.details == nil)
                }
            }
        }
    }

    @Test func appOfAnUpperCaseIDIsTheSame() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let facts: App = try decoded(try await world.get("/v1/apps/\(app.id.description.uppercased())"))
            #expect(facts.id == app.id.description)
        }
    }
}
