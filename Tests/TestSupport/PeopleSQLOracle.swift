public import Postgres

/// What a frozen day tells of itself, by plain SQL over raw events.
public enum PeopleSQLOracle {
    /// Lines as `totals` gives them: environment, day, active and new persons, active and new installs, sessions, ended ones, durations.
    ///
    /// A person is the user, for an anonymous event the user of the install's earliest event that names one, else the install.
    public static func days(app: Int32, zone: String, _ connection: PostgresConnection) async throws
        -> [String]
    {
        try await connection.transaction { connection in
            try DaySQLOracle.prepare(app: app, zone: zone, connection)
            return try connection.rows(figures(zone: zone)) { try $0.string(0) }
        }
    }

    /// The same of what was frozen.
    public static func totals(app: Int32, _ connection: PostgresConnection) async throws -> [String] {
        try await connection.rows(
            """
            SELECT concat_ws(' ', environment, day, active_persons, new_persons, active_installs, new_installs, sessions,
                             sessions_ended, duration_ms_sum)
            FROM day_totals
            WHERE app_no = \(app) AND dimension = '' AND active_persons > 0 ORDER BY environment, day LIMIT 100000
            """
        ) { try $0.string(0) }
    }

    private static func figures(zone: String) -> SQL {
        """
        WITH owners AS (
            SELECT DISTINCT ON (environment, install_no) environment, install_no, user_no AS owner
            FROM own WHERE user_no > 0 ORDER BY environment, install_no, at, insert_id
        ), named AS (
            SELECT p.*, coalesce(nullif(p.user_no, 0), o.owner) AS person_user
            FROM active p LEFT JOIN owners o USING (environment, install_no)
        ), persons AS (
            SELECT DISTINCT environment, day, install_no,
                   CASE WHEN person_user IS NULL THEN 'i' || install_no ELSE 'u' || person_user END AS person
            FROM named
        ), firsts AS (
            SELECT e.environment, min(e.at) AS at,
                   CASE WHEN coalesce(nullif(e.user_no, 0), o.owner) IS NULL THEN 'i' || install_no
                        ELSE 'u' || coalesce(nullif(e.user_no, 0), o.owner) END AS person
            FROM own e LEFT JOIN owners o USING (environment, install_no) GROUP BY 1, 3
        ), install_firsts AS (
            SELECT environment, install_no, min(at) AS at FROM own GROUP BY environment, install_no
        ), people AS (
            SELECT a.environment, a.day, count(DISTINCT a.person) AS persons,
                   count(DISTINCT a.person) FILTER (WHERE (f.at AT TIME ZONE \(zone))::date = a.day) AS new_persons,
                   count(DISTINCT a.install_no) AS installs,
                   count(DISTINCT a.install_no) FILTER (WHERE (i.at AT TIME ZONE \(zone))::date = a.day) AS new_installs
            FROM persons a JOIN firsts f USING (environment, person) JOIN install_firsts i USING (environment, install_no)
            GROUP BY a.environment, a.day
        ), counts AS (
            SELECT environment, day, count(*) AS sessions, count(duration_ms) AS ended,
                   coalesce(sum(duration_ms), 0)::bigint AS duration_ms
            FROM sessions GROUP BY environment, day
        )
        SELECT concat_ws(' ', environment, day, persons, new_persons, installs, new_installs, coalesce(sessions, 0),
                         coalesce(ended, 0), coalesce(duration_ms, 0))
        FROM people LEFT JOIN counts USING (environment, day) ORDER BY environment, day LIMIT 100000
        """
    }
}
