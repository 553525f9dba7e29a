import AggregatorCore
import Calendar
import Contracts
import Postgres
import TestSupport
import Testing

@testable import ReaderCore

/// Goal: what stays of an expired day are the figures that its reports showed, and reports of kept days do not change.
///
/// Method: random worlds over the end of a month; each day is asked for by total, platform and version before the month expires. What the
/// reader says is judged by plain SQL in `ReportOracleTests`.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .timeLimit(.minutes(5)))
struct FrozenTotalsTests {
    static let zones = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Honolulu", "UTC"]
    static let firstDay = "2023-03-27"
    /// The first moment at which March 2023 is 25 months old.
    static let expiry = "2025-05-01"

    @Test(arguments: Array(UInt64(1)...10))
    func countsAreWhatReportsSaid(seed: UInt64) async throws {
        let zoneName = Self.zones[Int(seed) % Self.zones.count]
        let zone = try LocalZone(named: zoneName)
        try await withReader { reader in
            let app = try await TestApp.make(reader.connection, timezone: zoneName)
            let world = RandomWorld(seed: seed, app: app.id, zone: zone, firstDay: try day(Self.firstDay))
            let messages = world.messages.map {
                DecodedMessage(partition: 0, offset: 0, content: .events($0))
            }
            _ = try await reader.store.store(messages, progress: [])
            try await reader.close()
            let days = (-1...RandomWorld.dayCount + 2).map { world.firstDay.advanced(by: $0) }
            let horizonMs = utcMs("2023-04-01")
            let expired = days.filter { zone.bounds(of: $0).lowerBound < horizonMs }
            let reported = try await reports(days, of: app, reader)

            let report = try await RetentionRun(connection: reader.connection, nowMs: utcMs(Self.expiry))
                .run()
            #expect(report.events.partitions == ["events_2023_03"])
            let frozen = try await totals(of: app, reader.connection)
            for day in expired {
                for question in Question.all(day) {
                    #expect(frozen[question] ?? .zero == reported[question], "seed \(seed): \(question)")
                }
            }
            #expect(frozen.count > 30 && Set(frozen.keys.map(\.day)).isSubset(of: expired.map(\.description)))

            // Replayed as a whole: nothing comes back, and what is kept stays as it is.
            let outcome = try await reader.store.store(messages, progress: [])
            #expect(outcome.new == 0 && outcome.expired > 10)
            try await reader.close()
            let again = try await totals(of: app, reader.connection)
            #expect(again == frozen)
            let kept = Array(Set(days).subtracting(expired)).sorted()
            let left = try await reports(kept, of: app, reader)
            #expect(left == reported.filter { pair in kept.contains { $0.description == pair.key.day } })
        }
    }

    private struct Question: Hashable {
        var day: String
        var environment: AppEnvironment
        var dimension = ""
        var value: String?

        static func all(_ day: LocalDay) -> [Question] {
            AppEnvironment.allCases.flatMap { environment in
                let total = Question(day: day.description, environment: environment)
                return [total]
                    + ["ios", "android", "web"].map { platform in
                        var own = total
                        (own.dimension, own.value) = ("platform", platform)
                        return own
                    }
                    + ["1.0", "2.0", nil].map { version in
                        var own = total
                        (own.dimension, own.value) = ("app_version", version)
                        return own
                    }
            }
        }

        var query: String {
            var query = "from=\(day)&to=\(day)&environment=\(environment.rawValue)&compare=none"
            if !dimension.isEmpty { query += "&\(dimension)=\(value ?? "")" }
            return query
        }
    }

    private struct Figures: Equatable {
        var persons = 0
        var installs = 0
        var newPersons = 0
        var newInstalls = 0
        var sessions = 0
        var averageDurationMs: Int?

        static let zero = Figures()
    }

    private func reports(_ days: [LocalDay], of app: TestApp, _ reader: ReaderWorld) async throws
        -> [Question: Figures]
    {
        var reports: [Question: Figures] = [:]
        for question in days.flatMap(Question.all) {
            let persons = try await reader.summary(app, question.query).figures
            let installs = try await reader.summary(app, question.query + "&unit=installs").figures
            reports[question] = Figures(
                persons: persons.active,
                installs: installs.active,
                newPersons: persons.new,
                newInstalls: installs.new,
                sessions: persons.sessions,
                averageDurationMs: persons.avgDurationMs
            )
        }
        return reports
    }

    /// Of the dimensions that are asked about.
    private func totals(of app: TestApp, _ connection: PostgresConnection) async throws -> [Question: Figures]
    {
        let rows = try await connection.rows(
            """
            SELECT day::text, environment, dimension, value, active_persons, active_installs, new_persons, new_installs,
                   sessions, floor(duration_ms_sum::numeric / nullif(sessions_ended, 0) + 0.5)::bigint
            FROM day_totals WHERE app_no = \(app.number) AND dimension IN ('', 'platform', 'app_version')
            ORDER BY 1, 2, 3, 4 LIMIT 10000
            """
        ) { row in
            let question = Question(
                day: try row.string(0),
                environment: AppEnvironment(code: Int16(try row.int(1))) ?? .production,
                dimension: try row.string(2),
                value: try row.optionalString(3)
            )
            let figures = Figures(
                persons: try row.int(4),
                installs: try row.int(5),
                newPersons: try row.int(6),
                newInstalls: try row.int(7),
                sessions: try row.int(8),
                averageDurationMs: try row.optionalInt(9)
            )
            return (question, figures)
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
