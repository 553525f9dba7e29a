import Postgres

/// Keeps "first" facts: each is the smallest (event_time, insert_id), so late and repeated events end in the same state.
///
/// A row is touched only when it changes: events of known people in their usual order write nothing here.
enum IdentityStatements {
    static let all: [SQL] = [
        installFirst, installAnonymousFirst, installOwner, installLastDay, userFirst, userLastDay,
    ]

    static let installFirst: SQL = """
        UPDATE installs i
        SET first_at = n.event_time, first_insert_id = n.insert_id, first_context_no = n.context_no
        FROM (
            SELECT DISTINCT ON (app_no, environment, install_no)
                   app_no, environment, install_no, event_time, insert_id, context_no
            FROM numbered ORDER BY app_no, environment, install_no, event_time, insert_id
        ) n
        WHERE i.app_no = n.app_no AND i.environment = n.environment AND i.install_no = n.install_no
          AND (i.first_at IS NULL OR (n.event_time, n.insert_id) < (i.first_at, i.first_insert_id))
        """

    static let installAnonymousFirst: SQL = """
        UPDATE installs i
        SET anonymous_first_at = n.event_time, anonymous_first_insert_id = n.insert_id,
            anonymous_first_context_no = n.context_no
        FROM (
            SELECT DISTINCT ON (app_no, environment, install_no)
                   app_no, environment, install_no, event_time, insert_id, context_no
            FROM numbered WHERE user_no IS NULL
            ORDER BY app_no, environment, install_no, event_time, insert_id
        ) n
        WHERE i.app_no = n.app_no AND i.environment = n.environment AND i.install_no = n.install_no
          AND (i.anonymous_first_at IS NULL
            OR (n.event_time, n.insert_id) < (i.anonymous_first_at, i.anonymous_first_insert_id))
        """

    static let installOwner: SQL = """
        UPDATE installs i
        SET owner_no = n.user_no, owner_at = n.event_time, owner_insert_id = n.insert_id
        FROM (
            SELECT DISTINCT ON (app_no, environment, install_no)
                   app_no, environment, install_no, event_time, insert_id, user_no
            FROM numbered WHERE user_no IS NOT NULL
            ORDER BY app_no, environment, install_no, event_time, insert_id
        ) n
        WHERE i.app_no = n.app_no AND i.environment = n.environment AND i.install_no = n.install_no
          AND (i.owner_at IS NULL OR (n.event_time, n.insert_id) < (i.owner_at, i.owner_insert_id))
        """

    static let installLastDay: SQL = """
        UPDATE installs i SET last_day = n.last_day
        FROM (
            SELECT app_no, environment, install_no, max((event_time AT TIME ZONE 'UTC')::date) AS last_day
            FROM numbered GROUP BY app_no, environment, install_no
        ) n
        WHERE i.app_no = n.app_no AND i.environment = n.environment AND i.install_no = n.install_no
          AND (i.last_day IS NULL OR i.last_day < n.last_day)
        """

    static let userFirst: SQL = """
        UPDATE users u
        SET first_at = n.event_time, first_insert_id = n.insert_id, first_context_no = n.context_no
        FROM (
            SELECT DISTINCT ON (app_no, environment, user_no)
                   app_no, environment, user_no, event_time, insert_id, context_no
            FROM numbered WHERE user_no IS NOT NULL
            ORDER BY app_no, environment, user_no, event_time, insert_id
        ) n
        WHERE u.app_no = n.app_no AND u.environment = n.environment AND u.user_no = n.user_no
          AND (u.first_at IS NULL OR (n.event_time, n.insert_id) < (u.first_at, u.first_insert_id))
        """

    static let userLastDay: SQL = """
        UPDATE users u SET last_day = n.last_day
        FROM (
            SELECT app_no, environment, user_no, max((event_time AT TIME ZONE 'UTC')::date) AS last_day
            FROM numbered WHERE user_no IS NOT NULL GROUP BY app_no, environment, user_no
        ) n
        WHERE u.app_no = n.app_no AND u.environment = n.environment AND u.user_no = n.user_no
          AND (u.last_day IS NULL OR u.last_day < n.last_day)
        """
}
