import AggregatorCore
import Contracts
import Postgres
import Schema
import TestSupport
import Testing

/// Deleting an app takes everything of it and nothing else.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(3)))
struct AppDeletionTests {
    private func withFilledApps(_ body: (StoreBench, TestApp) async throws -> Void) async throws {
        try await withStore { bench in
            let other = try await TestApp.make(bench.connection)
            for app in [bench.app, other] {
                for number in 0..<30 {
                    let event = EventMessage.Event.start(
                        at: utcMs("2026-10-0\(number % 9 + 1)"),
                        user: "\(number)"
                    )
                    try await bench.store.add(.valid(app: app.id, [event]))
                }
            }
            try await bench.closeAll()
            try await bench.store.add(.valid(app: bench.app.id), .valid(app: other.id))
            try await body(bench, other)
        }
    }

    @Test func everyTableIsCleanAndTheOtherAppIsUntouched() async throws {
        try await withFilledApps { bench, other in
            let before = try await StoredFacts.of(other, bench.connection)
            let places = try await bench.places(of: bench.app)
            #expect(places.count > 7)
            try await AppChanges.beginDeletion(of: bench.app.id, bench.connection)
            let summary = try await bench.carryOn(chunk: 7, role: "foreground_aggregator")
            #expect(summary.done == 1 && summary.failed == 0)
            let left = try await bench.places(of: bench.app)
            #expect(left.isEmpty)
            let after = try await StoredFacts.of(other, bench.connection)
            #expect(after == before)
            let progress = try await AppChanges.deletion(of: bench.app.id, bench.connection)
            #expect(progress?.isDone == true && (progress?.count ?? 0) > 100)
        }
    }

    @Test func aDeletionThatWasStoppedGoesOn() async throws {
        try await withFilledApps { bench, _ in
            try await AppChanges.beginDeletion(of: bench.app.id, bench.connection)
            try await bench.carryOnInterrupted(chunk: 5)
            let left = try await bench.places(of: bench.app)
            #expect(left.isEmpty)
        }
    }

    @Test func keysAreRefusedFromTheFirstMoment() async throws {
        try await withFilledApps { bench, _ in
            try await bench.connection.execute(
                """
                INSERT INTO write_keys (key_id, app_id, platform, key)
                VALUES (gen_random_uuid(), \(bench.app.id)::uuid, 'ios', 'pk_1')
                """
            )
            let version: SQL = "SELECT version FROM registry_version LIMIT 1"
            let before = try await bench.connection.number(version)
            try await AppChanges.beginDeletion(of: bench.app.id, bench.connection)
            let valid = try await bench.connection.number(
                "SELECT count(*) FROM write_keys WHERE revoked_at IS NULL"
            )
            #expect(valid == 0)
            let after = try await bench.connection.number(version)
            #expect(after > before)
        }
    }

    @Test func messagesThatComeLaterAreSetAsideWithoutTheirContent() async throws {
        try await withFilledApps { bench, _ in
            try await AppChanges.beginDeletion(of: bench.app.id, bench.connection)
            let during = try await bench.store.add(.valid(app: bench.app.id))
            try await bench.carryOn()
            let after = try await bench.store.add(.valid(app: bench.app.id))
            #expect(during.setAside == [.unknownApp] && after.setAside == [.unknownApp])
            let kept = try await bench.connection.number(
                "SELECT coalesce(sum(length(payload)), 0) FROM set_aside_messages"
            )
            #expect(kept == 0)
        }
    }

    @Test func anAppThatIsNotToGoCannotBeEmptied() async throws {
        try await withFilledApps { bench, _ in
            let states = [
                try await sqlState { try await bench.connection.script("SELECT delete_app_rows(1, 1)") },
                try await sqlState { try await bench.connection.script("SELECT finish_app_change(1)") },
                try await sqlState {
                    try await bench.connection.script("SELECT merge_day_totals(1, '2020-01-01', 1)")
                },
                try await sqlState { try await bench.connection.script("SELECT repoint_app_rows(1, 1)") },
            ]
            #expect(states == ["55000", "55000", "55000", "55000"])
        }
    }

    @Test func aFailureIsNotedWithoutAnyValueAndDoesNotHoldUpOthers() async throws {
        try await withFilledApps { bench, other in
            for app in [bench.app, other] { try await AppChanges.beginDeletion(of: app.id, bench.connection) }
            try await bench.connection.script(
                """
                CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF old.app_no = \(bench.app.number) THEN RAISE EXCEPTION 'user %', old; END IF;
                    RETURN old;
                END $$;
                CREATE TRIGGER no BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION no();
                """
            )
            let summary = try await bench.carryOn()
            #expect(summary.failed == 1 && summary.done == 1)
            let progress = try await AppChanges.deletion(of: bench.app.id, bench.connection)
            #expect(progress?.error == "database error P0001")
            try await bench.connection.script("DROP TRIGGER no ON users")
            let again = try await bench.carryOn()
            #expect(again.done == 1)
        }
    }
}
