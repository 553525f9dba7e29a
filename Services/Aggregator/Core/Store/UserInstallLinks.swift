import Postgres

/// Records which users were seen on which installs.
enum UserInstallLinks {
    static func add(_ people: BatchPeople, _ connection: isolated PostgresConnection) throws {
        guard !people.links.isEmpty else { return }
        let links = people.links.map { (install: people.installs[$0.install], user: people.users[$0.user]) }
        _ = try connection.execute(
            """
            INSERT INTO user_installs (app_no, environment, user_no, install_no)
            SELECT n.app_no, n.environment, n.user_no, n.install_no
            FROM unnest(\(links.map(\.install.key.app))::integer[], \(links.map(\.install.key.environment))::smallint[],
                        \(links.map(\.user.number))::integer[], \(links.map(\.install.number))::integer[])
                AS n(app_no, environment, user_no, install_no)
            WHERE NOT EXISTS (
                SELECT FROM user_installs l WHERE l.app_no = n.app_no AND l.environment = n.environment
                  AND l.user_no = n.user_no AND l.install_no = n.install_no)
            ORDER BY 1, 2, 3, 4
            ON CONFLICT DO NOTHING
            """
        )
    }
}
