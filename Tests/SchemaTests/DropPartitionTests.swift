import Postgres
import Schema
import TestSupport
import Testing

/// Which months may be dropped.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct DropPartitionTests {
    private static let partitions: SQL = """
        SELECT relname::text FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY 1 LIMIT 100
        """

    private func prepare(_ connection: PostgresConnection, month: String, keptFrom: String) async throws {
        try await connection.script(
            """
            SELECT ensure_events_partition((\(month))::timestamp AT TIME ZONE 'UTC');
            UPDATE retention_horizon SET kept_from = \(keptFrom);
            """
        )
    }

    @Test func aMonthWhoseEndIs25MonthsOldGoes() async throws {
        try await withDatabase { _, connection in
            let month = "date_trunc('month', (now() AT TIME ZONE 'UTC') - interval '26 months')"
            try await prepare(connection, month: month, keptFrom: "now()")
            try await connection.script("SELECT drop_events_partition((\(month))::date)")
            let left = try await connection.texts(Self.partitions)
            #expect(left.isEmpty)
        }
    }

    @Test func aMonthThatEndsLaterIsRefusedWhateverTheHorizonSays() async throws {
        try await withDatabase { _, connection in
            let month = "date_trunc('month', (now() AT TIME ZONE 'UTC') - interval '25 months')"
            try await prepare(connection, month: month, keptFrom: "now()")
            let state = try await sqlState {
                try await connection.script("SELECT drop_events_partition((\(month))::date)")
            }
            #expect(state == "22023")
            let left = try await connection.texts(Self.partitions)
            #expect(left.count == 1)
        }
    }

    @Test func aMonthThatStoresStillTakeIsRefused() async throws {
        try await withDatabase { _, connection in
            try await prepare(connection, month: "'2020-01-01'", keptFrom: "'2020-01-31 23:59+00'")
            let state = try await sqlState {
                try await connection.script("SELECT drop_events_partition('2020-01-01')")
            }
            #expect(state == "55000")
        }
    }

    @Test func aMonthThatIsNotThereIsNoError() async throws {
        try await withDatabase { _, connection in
            try await connection.script("UPDATE retention_horizon SET kept_from = now()")
            let isDropped = try await connection.first("SELECT drop_events_partition('2020-01-01') LIMIT 1") {
                try $0.bool(0)
            }
            #expect(isDropped == false)
        }
    }

    /// Whoever reads the table for long must not make everybody else wait behind the drop.
    @Test func aTableInUseIsNotWaitedForLong() async throws {
        try await withDatabase { url, connection in
            try await prepare(connection, month: "'2020-01-01'", keptFrom: "now()")
            try await withConnection(to: url) { other in
                try await other.script("BEGIN; SELECT FROM events")
                let state = try await sqlState {
                    try await connection.script("SELECT drop_events_partition('2020-01-01')")
                }
                #expect(state == "55P03")
            }
        }
    }
}
