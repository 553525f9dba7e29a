import Calendar
import Contracts
import Postgres
import Schema

extension ReportOracle {
    struct Cohort: Equatable {
        var size: Int
        /// Nil where the period has not ended.
        var returned: [Int?]
    }

    /// Cohorts by their first day within the range; those whose first day is still to come are left out.
    func retention(_ length: String, periods: Int, _ question: OracleQuestion) async throws
        -> [String: Cohort]
    {
        let rows = try await connection.rows(cells(length, periods: periods, question)) { row in
            (try row.string(0), try row.int(1), try row.int(2), try row.bool(3), try row.int(4))
        }
        var cohorts: [String: Cohort] = [:]
        for (label, size, period, isOver, count) in rows {
            cohorts[label, default: Cohort(size: size, returned: Array(repeating: nil, count: periods + 1))]
                .returned[period] = isOver ? count : nil
        }
        return cohorts
    }

    /// One row for each cohort and period: label, size, period, whether it is over, how many were active in it.
    private func cells(_ length: String, periods: Int, _ question: OracleQuestion) -> SQL {
        let days: SQL = length == "day" ? "1" : "7"
        let start: SQL = "date_trunc(\(length), d)::date"
        return """
            WITH cohorts AS (
                SELECT greatest(\(start), \(question.first)::date) AS label, \(start) AS starts
                FROM generate_series(\(question.first)::date, \(question.last)::date, interval '1 day') d
                GROUP BY 1, 2
            ), members AS (
                SELECT who, date_trunc(\(length), day::timestamp)::date AS starts FROM o_firsts
                WHERE unit = \(question.unit) AND day \(question.within) AND \(question.matches)
            ), visits AS (
                SELECT DISTINCT \(question.who) AS who, date_trunc(\(length), on_day::timestamp)::date AS starts
                FROM o_days WHERE \(question.matches)
            )
            SELECT label::text, (SELECT count(*) FROM members m WHERE m.starts = c.starts), period,
                   ((c.starts + (period + 1) * \(days))::timestamp AT TIME ZONE \(zone)::text) <= now(),
                   (SELECT count(*) FROM members m JOIN visits v USING (who)
                    WHERE m.starts = c.starts AND v.starts = c.starts + period * \(days))
            FROM cohorts c, generate_series(0, \(periods)) period
            WHERE (label::timestamp AT TIME ZONE \(zone)::text) <= now()
            """
    }
}
