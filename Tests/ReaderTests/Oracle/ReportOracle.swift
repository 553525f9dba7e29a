import Calendar
import Contracts
import Postgres
import Schema

/// The figures of every report by SQL over `OracleTables`, from the contract's definitions.
struct ReportOracle {
    struct Figures: Equatable {
        var active: Int
        var new: Int
        var sessions: Int
        var averageDurationMs: Int?
        var medianDurationMs: Int?
    }

    let connection: PostgresConnection
    let zone: String

    private static let average: SQL = "floor(avg(longest_ms) + 0.5)::bigint"

    func summary(_ question: OracleQuestion) async throws -> Figures? {
        let (within, matches) = (question.within, question.matches)
        return try await connection.first(
            """
            SELECT (SELECT count(DISTINCT \(question.who)) FROM o_days WHERE on_day \(within) AND \(matches)),
                   (SELECT count(*) FROM o_firsts WHERE unit = \(question.unit) AND day \(within) AND \(matches)),
                   count(*), \(Self.average),
                   floor(percentile_cont(0.5) WITHIN GROUP (ORDER BY longest_ms) + 0.5)::bigint
            FROM o_sessions WHERE day \(within) AND \(matches)
            """
        ) { row in
            Figures(
                active: try row.int(0),
                new: try row.int(1),
                sessions: try row.int(2),
                averageDurationMs: try row.optionalInt(3),
                medianDurationMs: try row.optionalInt(4)
            )
        }
    }

    /// Values by the label of their bucket, where there are any; hours are labelled by their instant in seconds.
    func series(_ metric: String, _ granularity: String, _ question: OracleQuestion) async throws
        -> [String: Int]
    {
        let (within, matches) = (question.within, question.matches)
        let isHourly = granularity == "hour"
        func bucket(_ day: SQL, _ moment: SQL) -> SQL {
            isHourly
                ? "extract(epoch FROM \(hourStart(moment)))::bigint::text"
                : "date_trunc(\(granularity), \(day)::timestamp)::date::text"
        }
        let statement: SQL
        switch metric {
        case "active" where isHourly:
            statement = """
                SELECT extract(epoch FROM hour)::bigint::text, count(DISTINCT \(question.who))
                FROM o_spans, generate_series(\(hourStart("from_time")), until_time, interval '1 hour') hour
                WHERE (hour AT TIME ZONE \(zone)::text)::date \(within) AND \(matches) GROUP BY 1
                """
        case "active":
            statement = """
                SELECT \(bucket("on_day", "NULL")), count(DISTINCT \(question.who)) FROM o_days
                WHERE on_day \(within) AND \(matches) GROUP BY 1
                """
        case "new":
            statement = """
                SELECT \(bucket("day", "event_time")), count(*) FROM o_firsts
                WHERE unit = \(question.unit) AND day \(within) AND \(matches) GROUP BY 1
                """
        default:
            let value: SQL = metric == "sessions" ? "count(*)" : Self.average
            statement = """
                SELECT \(bucket("day", "event_time")), \(value) FROM o_sessions
                WHERE day \(within) AND \(matches) GROUP BY 1
                """
        }
        let rows = try await connection.rows(statement) { (try $0.string(0), try $0.optionalInt(1)) }
        return Dictionary(uniqueKeysWithValues: rows.compactMap { row in row.1.map { (row.0, $0) } })
    }

    /// The instant at which the local hour around a moment began.
    private func hourStart(_ moment: SQL) -> SQL {
        let local: SQL = "(\(moment) AT TIME ZONE \(zone)::text)"
        return "(\(moment) - (\(local) - date_trunc('hour', \(local))))"
    }

    /// The platforms somebody used.
    func platforms(_ question: OracleQuestion) async throws -> Set<String> {
        let (within, matches) = (question.within, question.matches)
        let rows = try await connection.rows(
            """
            SELECT platform FROM o_days WHERE on_day \(within) AND \(matches)
            UNION SELECT platform FROM o_firsts WHERE unit = \(question.unit) AND day \(within) AND \(matches)
            """
        ) { try $0.string(0) }
        return Set(rows)
    }

    /// DAU, WAU and MAU of each day of the range.
    func rolling(_ question: OracleQuestion) async throws -> [String: [Int]] {
        let rows = try await connection.rows(
            """
            SELECT day::date::text,
                   count(DISTINCT \(question.who)) FILTER (WHERE on_day = day::date),
                   count(DISTINCT \(question.who)) FILTER (WHERE on_day > day::date - 7),
                   count(DISTINCT \(question.who))
            FROM generate_series(\(question.first)::date, \(question.last)::date, interval '1 day') day
            LEFT JOIN o_days ON on_day BETWEEN day::date - 29 AND day::date AND \(question.matches)
            GROUP BY 1
            """
        ) { (try $0.string(0), [try $0.int(1), try $0.int(2), try $0.int(3)]) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Figures by value; the median is no part of them.
    func breakdown(_ dimension: String, _ question: OracleQuestion) async throws -> [String?: Figures] {
        let (within, matches, value) = (question.within, question.matches, SQL(unsafe: dimension))
        let rows = try await connection.rows(
            """
            SELECT value, coalesce(sum(active), 0), coalesce(sum(new), 0), coalesce(sum(sessions), 0), max(average) FROM (
                SELECT \(value) AS value, count(DISTINCT \(question.who)) AS active, 0 AS new, 0 AS sessions, NULL::bigint AS average
                FROM o_days WHERE on_day \(within) AND \(matches) GROUP BY 1
                UNION ALL
                SELECT \(value), 0, count(*), 0, NULL FROM o_firsts
                WHERE unit = \(question.unit) AND day \(within) AND \(matches) GROUP BY 1
                UNION ALL
                SELECT \(value), 0, 0, count(*), \(Self.average) FROM o_sessions WHERE day \(within) AND \(matches) GROUP BY 1
            ) parts GROUP BY value
            """
        ) { row in
            (
                try row.optionalString(0),
                Figures(
                    active: try row.int(1),
                    new: try row.int(2),
                    sessions: try row.int(3),
                    averageDurationMs: try row.optionalInt(4)
                )
            )
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
