import Postgres

/// Works out installs and users anew from the events that are left, and deletes those of whom nothing is.
///
/// Only where no batch is being stored (`StoreBarrier.close`): a batch compares its events with the facts it finds, and would keep an
/// erased event's. Numbers are never given out again, so blocks of other days never mean somebody else.
enum IdentityRepair {
    static func installs(
        _ numbers: [Int32],
        app: Int32,
        environment: Int16,
        _ connection: isolated PostgresConnection
    ) throws {
        let its: SQL = "e.app_no = \(app) AND e.environment = \(environment) AND e.install_no = g.install_no"
        try connection.execute(
            """
            UPDATE installs i
            SET first_at = f.event_time, first_insert_id = f.insert_id, first_context_no = f.context_no,
                anonymous_first_at = a.event_time, anonymous_first_insert_id = a.insert_id,
                anonymous_first_context_no = a.context_no,
                owner_no = o.user_no, owner_at = o.event_time, owner_insert_id = o.insert_id,
                last_day = (l.event_time AT TIME ZONE 'UTC')::date
            FROM unnest(\(numbers)::integer[]) AS g(install_no)
            LEFT JOIN LATERAL (
                SELECT event_time, insert_id, context_no FROM events e WHERE \(its)
                ORDER BY event_time, insert_id LIMIT 1) f ON true
            LEFT JOIN LATERAL (
                SELECT event_time, insert_id, context_no FROM events e WHERE \(its) AND e.user_no IS NULL
                ORDER BY event_time, insert_id LIMIT 1) a ON true
            LEFT JOIN LATERAL (
                SELECT event_time, insert_id, user_no FROM events e WHERE \(its) AND e.user_no IS NOT NULL
                ORDER BY event_time, insert_id LIMIT 1) o ON true
            LEFT JOIN LATERAL (
                SELECT event_time FROM events e WHERE \(its) ORDER BY event_time DESC LIMIT 1) l ON true
            WHERE i.app_no = \(app) AND i.environment = \(environment) AND i.install_no = g.install_no
            """
        )
        try connection.execute(
            """
            DELETE FROM installs
            WHERE app_no = \(app) AND environment = \(environment) AND install_no = ANY(\(numbers)::integer[])
              AND first_at IS NULL
            """
        )
    }

    static func users(
        _ numbers: [Int32],
        app: Int32,
        environment: Int16,
        _ connection: isolated PostgresConnection
    ) throws {
        let its: SQL = """
            user_installs l CROSS JOIN LATERAL (
                SELECT event_time, insert_id, context_no FROM events e
                WHERE e.app_no = l.app_no AND e.environment = l.environment AND e.install_no = l.install_no
                  AND e.user_no = l.user_no
            """
        let whose: SQL = "l.app_no = \(app) AND l.environment = \(environment) AND l.user_no = g.user_no"
        try connection.execute(
            """
            UPDATE users u
            SET first_at = f.event_time, first_insert_id = f.insert_id, first_context_no = f.context_no,
                last_day = (m.event_time AT TIME ZONE 'UTC')::date
            FROM unnest(\(numbers)::integer[]) AS g(user_no)
            LEFT JOIN LATERAL (
                SELECT n.* FROM \(its) ORDER BY event_time, insert_id LIMIT 1) n
                WHERE \(whose) ORDER BY n.event_time, n.insert_id LIMIT 1) f ON true
            LEFT JOIN LATERAL (
                SELECT n.event_time FROM \(its) ORDER BY event_time DESC LIMIT 1) n
                WHERE \(whose) ORDER BY n.event_time DESC LIMIT 1) m ON true
            WHERE u.app_no = \(app) AND u.environment = \(environment) AND u.user_no = g.user_no
            """
        )
        try connection.execute(
            """
            DELETE FROM users
            WHERE app_no = \(app) AND environment = \(environment) AND user_no = ANY(\(numbers)::integer[])
              AND first_at IS NULL
            """
        )
    }
}
