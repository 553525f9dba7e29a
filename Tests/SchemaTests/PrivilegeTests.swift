import Postgres
import Schema
import TestSupport
import Testing

/// What each service's role may do, and that it may do nothing else.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct PrivilegeTests {
    /// Every right there is: a table that is not named here is closed to the role.
    static let rights: [String: [String: String]] = [
        "foreground_ingest": [
            "apps": "S", "ingest_instances": "SIUD", "registry_version": "S", "schema_migrations": "S",
            "write_keys": "S",
        ],
        "foreground_aggregator": [
            "app_aliases": "S", "app_deletions": "SU", "app_merges": "SU", "apps": "S",
            "closed_days": "SIUD", "consumer_offsets": "SIUD", "context_counts": "SIUD", "contexts": "SI",
            "day_totals": "SIUD",
            "deletion_requests": "SU", "dirty_days": "SID", "erasure_key": "SI", "events": "SID",
            "installs": "SIUD", "number_counters": "SIUD", "registry_version": "S", "rejections": "SID",
            "retention_horizon": "SU", "schema_migrations": "S", "set_aside_messages": "SIUD",
            "store_epoch": "SU", "suppressions": "SIUD", "user_installs": "SIUD", "users": "SIUD",
            "zone_changes": "SIUD",
        ],
        "foreground_reader": [
            "api_keys": "S", "app_aliases": "S", "apps": "S", "closed_days": "S", "contexts": "S",
            "day_totals": "S", "deletion_requests": "SI", "dirty_days": "S", "events": "S",
            "identity_changes": "S", "installs": "S", "reader_instances": "SIUD", "registry_version": "S",
            "rejections": "S", "retention_horizon": "S", "schema_migrations": "S", "user_installs": "S",
            "users": "S", "zone_changes": "S",
        ],
        "foreground_console": [
            "accounts": "SID", "api_keys": "SI", "app_aliases": "S", "app_deletions": "S",
            "app_merges": "S", "apps": "SI", "audit_log": "SI",
            "closed_days": "SD", "console_sessions": "SID", "contexts": "S", "day_totals": "S",
            "deletion_requests": "SI",
            "dirty_days": "SID", "events": "S", "identity_changes": "S", "installs": "S",
            "registry_version": "S", "rejections": "S", "retention_horizon": "S",
            "schema_migrations": "S", "setup_links": "SID", "store_epoch": "SU", "user_installs": "S",
            "users": "S", "write_keys": "SI", "zone_changes": "SIUD",
        ],
    ]

    /// Columns that a role may change although it may not change the table.
    static let columns: [String: [String]] = [
        "foreground_ingest": [],
        "foreground_aggregator": ["apps.timezone", "apps.zone_version", "apps.zone_version_last"],
        "foreground_reader": [],
        "foreground_console": [
            "accounts.password_changed_at", "accounts.password_hash", "accounts.signed_in_at",
            "api_keys.revoked_at", "apps.archived_at", "apps.name", "apps.platforms", "apps.status",
            "apps.zone_version_last", "console_sessions.seen_at", "write_keys.revoked_at",
        ],
    ]

    @Test(arguments: columns.keys.sorted())
    func aRoleChangesSingleColumnsOnly(role: String) async throws {
        try await withDatabase { _, connection in
            let found = try await connection.texts(
                """
                SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
                  AND NOT a.attisdropped AND has_column_privilege(\(role), c.oid, a.attnum, 'UPDATE')
                  AND NOT has_table_privilege(\(role), c.oid, 'UPDATE')
                ORDER BY 1 LIMIT 1000
                """
            )
            #expect(found.sorted() == Self.columns[role])
        }
    }

    /// The functions that begin, carry on and end changes of apps, and who may call them.
    @Test func changesOfAppsAreBegunByTheConsoleAndCarriedOutByTheAggregator() async throws {
        try await withDatabase { _, connection in
            let found = try await connection.texts(
                """
                SELECT r.rolname || ' ' || p.proname FROM pg_proc p, pg_roles r
                WHERE p.pronamespace = 'public'::regnamespace AND r.rolname LIKE 'foreground\\_%'
                  AND p.proname IN ('begin_app_merge', 'begin_app_merge_in_one_zone', 'begin_app_deletion', 'repoint_app_rows', 'merge_day_totals',
                                    'delete_app_rows', 'finish_app_change')
                  AND has_function_privilege(r.rolname, p.oid, 'EXECUTE')
                LIMIT 100
                """
            )
            #expect(
                found.sorted() == [
                    "foreground_aggregator delete_app_rows", "foreground_aggregator finish_app_change",
                    "foreground_aggregator merge_day_totals", "foreground_aggregator repoint_app_rows",
                    "foreground_console begin_app_deletion", "foreground_console begin_app_merge",
                ]
            )
        }
    }

    @Test(arguments: rights.keys.sorted())
    func aRoleHasExactlyTheRightsItNeeds(role: String) async throws {
        try await withDatabase { _, connection in
            try await connection.script("SELECT ensure_events_partition('2026-05-05 00:00:00+00')")
            let found = try await connection.rows(
                """
                SELECT relname::text, letters FROM (
                    SELECT c.relname, string_agg(letter, '' ORDER BY position) AS letters
                    FROM pg_class c,
                        (VALUES (1, 'S', 'SELECT'), (2, 'I', 'INSERT'), (3, 'U', 'UPDATE'), (4, 'D', 'DELETE'),
                                (5, 'T', 'TRUNCATE'), (6, 'R', 'REFERENCES'), (7, 'G', 'TRIGGER'))
                            AS right_of(position, letter, name)
                    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
                      AND has_table_privilege(\(role), c.oid, right_of.name)
                    GROUP BY c.relname
                ) found ORDER BY relname LIMIT 1000
                """
            ) { (try $0.string(0), try $0.string(1)) }
            #expect(Dictionary(uniqueKeysWithValues: found) == Self.rights[role])
        }
    }

    @Test func everyRoleOfTheSchemaIsListedHere() async throws {
        try await withDatabase { _, connection in
            let roles = try await connection.texts(
                """
                SELECT rolname::text FROM pg_roles
                WHERE has_table_privilege(rolname, 'apps', 'SELECT') AND rolname LIKE 'foreground\\_%'
                ORDER BY 1 LIMIT 100
                """
            )
            #expect(roles == Self.rights.keys.sorted())
        }
    }

    @Test func noRoleIsMoreThanALogin() async throws {
        try await withDatabase { _, connection in
            let strong = try await connection.number(
                """
                SELECT count(*) FROM pg_roles WHERE rolname LIKE 'foreground\\_%'
                  AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls OR NOT rolcanlogin)
                """
            )
            #expect(strong == 0)
        }
    }

    @Test(
        arguments: [
            ("foreground_ingest", "SELECT FROM api_keys"),
            ("foreground_ingest", "SELECT FROM events"),
            ("foreground_ingest", "SELECT FROM deletion_requests"),
            ("foreground_ingest", "UPDATE registry_version SET version = 0"),
            ("foreground_ingest", "UPDATE write_keys SET revoked_at = now()"),
            ("foreground_aggregator", "SELECT FROM write_keys"),
            ("foreground_aggregator", "UPDATE events SET kind = 1"),
            ("foreground_aggregator", "UPDATE dirty_days SET cause = 'zone'"),
            ("foreground_aggregator", "UPDATE apps SET name = 'mine'"),
            ("foreground_aggregator", "DELETE FROM apps"),
            ("foreground_aggregator", "UPDATE apps SET status = 'deleting'"),
            ("foreground_aggregator", "INSERT INTO app_aliases VALUES (gen_random_uuid(), 1)"),
            ("foreground_aggregator", "SELECT begin_app_deletion(gen_random_uuid())"),
            ("foreground_aggregator", "SELECT begin_app_merge(gen_random_uuid(), gen_random_uuid())"),
            ("foreground_aggregator", "SELECT repoint_rows('closed_days', 1, 2, 3)"),
            ("foreground_reader", "SELECT drop_events_partition('2000-01-01')"),
            ("foreground_console", "SELECT delete_app_rows(1, 1)"),
            ("foreground_console", "SELECT finish_app_change(1)"),
            ("foreground_ingest", "SELECT FROM day_totals"),
            ("foreground_aggregator", "DROP TABLE events_2026_05"),
            ("foreground_aggregator", "CREATE TABLE mine ()"),
            ("foreground_reader", "SELECT FROM suppressions"),
            ("foreground_reader", "SELECT FROM write_keys"),
            ("foreground_reader", "DELETE FROM events"),
            ("foreground_reader", "UPDATE deletion_requests SET status = 'done'"),
            ("foreground_reader", "DELETE FROM rejections"),
            ("foreground_reader", "INSERT INTO dirty_days DEFAULT VALUES"),
            ("foreground_reader", "UPDATE closed_days SET revision = 0"),
            ("foreground_reader", "SELECT FROM events_2026_05"),
            ("foreground_aggregator", "UPDATE erasure_key SET fingerprint = ''"),
            ("foreground_console", "DELETE FROM deletion_requests"),
            ("foreground_console", "DELETE FROM apps"),
            ("foreground_console", "UPDATE apps SET app_id = gen_random_uuid()"),
            ("foreground_console", "UPDATE write_keys SET app_id = gen_random_uuid()"),
            ("foreground_console", "UPDATE api_keys SET scopes = '{read,delete}'"),
            ("foreground_console", "UPDATE accounts SET email = 'a@b.c'"),
            ("foreground_console", "UPDATE console_sessions SET expires_at = now()"),
            ("foreground_console", "UPDATE audit_log SET details = NULL"),
            ("foreground_console", "DELETE FROM audit_log"),
            ("foreground_reader", "SELECT FROM accounts"),
            ("foreground_reader", "SELECT FROM console_sessions"),
            ("foreground_aggregator", "SELECT FROM setup_links"),
            ("foreground_ingest", "SELECT FROM audit_log"),
        ]
    )
    func whatARoleMayNotDoFails(role: String, statement: String) async throws {
        try await withDatabase { _, connection in
            try await connection.script("SELECT ensure_events_partition('2026-05-05 00:00:00+00')")
            try await connection.script("SET ROLE \(role)")
            let state = try await sqlState(of: { try await connection.script(statement) })
            #expect(state == "42501")
        }
    }

    @Test(arguments: ["foreground_ingest", "foreground_reader", "foreground_console"])
    func onlyTheAggregatorMakesPartitions(role: String) async throws {
        try await withDatabase { _, connection in
            try await connection.script("SET ROLE \(role)")
            let state = try await sqlState {
                try await connection.script("SELECT ensure_events_partition('2026-05-05 00:00:00+00')")
            }
            #expect(state == "42501")
            try await connection.script("SET ROLE foreground_aggregator")
            try await connection.script("SELECT ensure_events_partition('2026-05-05 00:00:00+00')")
        }
    }

    /// A function that acts with its owner's rights must not find a caller's temporary table before the real one.
    @Test func everyDefinerFunctionLooksAtTemporaryTablesLast() async throws {
        try await withDatabase { _, connection in
            let careless = try await connection.texts(
                """
                SELECT oid::regprocedure::text FROM pg_proc
                WHERE prosecdef AND pronamespace = 'public'::regnamespace
                  AND NOT 'search_path=public, pg_temp' = ANY (coalesce(proconfig, '{}')) ORDER BY 1 LIMIT 100
                """
            )
            #expect(careless.isEmpty)
        }
    }

    @Test func aChangeOfAnAppMovesTheRegistryVersionForWhoeverMayMakeIt() async throws {
        try await withDatabase { _, connection in
            let version: SQL = "SELECT version FROM registry_version LIMIT 1"
            // Roles outlive a database, so this one is never committed.
            try await connection.script(
                "BEGIN; CREATE ROLE test_changer; GRANT SELECT, INSERT ON apps TO test_changer"
            )
            let before = try await connection.number(version)
            try await connection.script("SET LOCAL ROLE test_changer")
            let app = try await TestApp.make(connection)
            try await connection.script("RESET ROLE")
            let after = try await connection.number(version)
            try await connection.script("ROLLBACK")
            #expect(app.number == 1)
            #expect(after == before + 1)
        }
    }
}
