import Calendar
import Contracts
import Postgres
import Schema

/// What reports may still tell once some days are totals only: the figures as they were, nil where they cannot be known.
struct FrozenOracle {
    let oracle: ReportOracle
    /// Earlier days are totals only; nil before anything has expired.
    let keptFrom: LocalDay?

    /// What happened on one frozen day to those who match each field of a filter by itself, or to everybody.
    private struct Parts {
        /// By field: how many of its values asked for had somebody, and those values' figures together.
        var busyValues: [Int] = []
        var new: [Int] = []
        var sessions: [Int] = []
        var ended: [Int] = []
    }

    func isFrozen(_ day: LocalDay) -> Bool { keptFrom.map { day < $0 } ?? false }

    /// The figures of the question's days; nil where there is no day that could have any.
    func figures(_ question: OracleQuestion) async throws -> KnownFigures {
        let all = try await oracle.summary(question)
        var known = KnownFigures(
            active: all?.active,
            new: all?.new,
            sessions: all?.sessions,
            averageDurationMs: all?.averageDurationMs,
            medianDurationMs: all?.medianDurationMs
        )
        let frozen = (0..<question.dayCount).map { question.first.advanced(by: $0) }.filter(isFrozen)
        guard !frozen.isEmpty else { return known }
        let isSplit = question.filter.count > 1
        var busy: [Parts] = []
        for day in frozen {
            let parts = try await parts(day, question)
            if isSplit {
                if !parts.new.contains(0) { known.new = nil }
                if !parts.sessions.contains(0) {
                    (known.sessions, known.averageDurationMs, known.medianDurationMs) = (nil, nil, nil)
                }
            } else if parts.ended != [0] {
                known.medianDurationMs = nil
            }
            if !parts.busyValues.contains(0) { busy.append(parts) }
        }
        guard let only = busy.first else { return known }
        // One frozen day alone is known where one value is all that was asked for and used.
        let isAlone = try await busyDays(question) == 1
        let isKnown = isAlone && busy.count == 1 && !isSplit && only.busyValues == [1]
        if !isKnown { known.active = nil }
        return known
    }

    /// Days on which somebody was active.
    private func busyDays(_ question: OracleQuestion) async throws -> Int {
        try await oracle.connection.first(
            "SELECT count(DISTINCT on_day) FROM o_days WHERE on_day \(question.within) AND \(question.matches)"
        ) { try $0.int(0) } ?? 0
    }

    private func parts(_ day: LocalDay, _ question: OracleQuestion) async throws -> Parts {
        var parts = Parts()
        let fields = question.filter.keys.sorted()
        for field in fields.isEmpty ? [nil] : fields.map(Optional.some) {
            var own = question
            (own.first, own.last) = (day, day)
            own.filter = field.map { [$0: question.filter[$0] ?? []] } ?? [:]
            let value: SQL = field.map { "coalesce(\(SQL(unsafe: $0)), '')" } ?? "''"
            let row = try await oracle.connection.first(
                """
                SELECT (SELECT count(DISTINCT \(value)) FROM o_days WHERE on_day \(own.within) AND \(own.matches)),
                       (SELECT count(*) FROM o_firsts WHERE unit = \(own.unit) AND day \(own.within) AND \(own.matches)),
                       count(*), count(longest_ms)
                FROM o_sessions WHERE day \(own.within) AND \(own.matches)
                """
            ) { (try $0.int(0), try $0.int(1), try $0.int(2), try $0.int(3)) }
            parts.busyValues.append(row?.0 ?? 0)
            parts.new.append(row?.1 ?? 0)
            parts.sessions.append(row?.2 ?? 0)
            parts.ended.append(row?.3 ?? 0)
        }
        return parts
    }

    /// Whether a day of the range has totals: those of days on which anything happened to anybody.
    func hasTotals(_ first: LocalDay, _ last: LocalDay) async throws -> Bool {
        guard let keptFrom else { return false }
        let days = try await oracle.connection.first(
            """
            SELECT count(*) FROM o_days
            WHERE on_day BETWEEN \(first)::date AND \(last)::date AND on_day < \(keptFrom)::date
            """
        ) { try $0.int(0) }
        return (days ?? 0) > 0
    }
}

/// Figures as far as they can be known.
struct KnownFigures: Equatable {
    var active: Int?
    var new: Int?
    var sessions: Int?
    var averageDurationMs: Int?
    var medianDurationMs: Int?

    func value(_ metric: String) -> Int? {
        switch metric {
        case "active": active
        case "new": new
        case "sessions": sessions
        default: averageDurationMs
        }
    }
}
