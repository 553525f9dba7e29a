import JSON
import Postgres
import TestSupport
import Testing

@testable import ControlCore

@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct TimezoneCommandTests {
    @Test func aChangeIsBegunOnce() async throws {
        try await withDatabase { url, connection in
            let app = try await makeApp(url)
            let words = ["app", "timezone", "--app", app, "--timezone", "Asia/Tokyo", "--json"]
            let run = await fgctl(words, environment: ["DATABASE_URL": url])
            #expect(run.json { $0["status"]?.string } == "started")
            let open = try await connection.texts("SELECT timezone FROM zone_changes LIMIT 10")
            #expect(open == ["Asia/Tokyo"])
        }
    }

    @Test func anAppThatIsMergedIsRefusedWithTheReason() async throws {
        try await withDatabase { url, connection in
            let (target, source) = (try await makeApp(url), try await makeApp(url))
            let merge = ["app", "merge", "--from", source, "--into", target, "--confirm", "Shop", "--json"]
            #expect(await fgctl(merge, environment: ["DATABASE_URL": url]).exitCode == 0)
            let words = ["app", "timezone", "--app", target, "--timezone", "Asia/Tokyo"]
            let run = await fgctl(words, environment: ["DATABASE_URL": url])
            #expect(run.exitCode == 1)
            #expect(run.complaints.joined().contains("the app is part of a merge, or being deleted"))
        }
    }

    @Test func aMergeBesideAChangeIsRefusedWithTheReason() async throws {
        try await withDatabase { url, connection in
            let (target, source) = (try await makeApp(url), try await makeApp(url))
            let words = ["app", "timezone", "--app", source, "--timezone", "Asia/Tokyo"]
            #expect(await fgctl(words, environment: ["DATABASE_URL": url]).exitCode == 0)
            let merge = ["app", "merge", "--from", source, "--into", target, "--confirm", "Shop"]
            let run = await fgctl(merge, environment: ["DATABASE_URL": url])
            #expect(run.exitCode == 1)
            #expect(run.complaints.joined().contains("one of the apps is changing its time zone"))
        }
    }
}
