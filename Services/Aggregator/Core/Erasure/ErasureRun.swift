import Contracts
import Postgres
import Schema

/// One erasure, from its first rule to its end.
///
/// A chain of short transactions, each of which may be the last one before a crash: whoever goes on begins at the first step, and what is done
/// already is not found again. The order is what makes that right. Rules come first and bind every batch that begins after them; then what
/// is stored goes, install by install, with the marks of its days; what remains of an install is worked out only when its events are gone;
/// and the request ends when its days are closed, at a moment between batches.
struct ErasureRun: Sendable {
    let task: ErasureTask
    let connection: PostgresConnection
    let hasher: SubjectHasher
    let limits: ErasureLimits
    let nowMs: @Sendable () -> Int64
    /// Called before each transaction; throws to stop there.
    let before: @Sendable (ErasureStep) throws -> Void

    /// Returns how many events went.
    func run() async throws -> Int {
        guard try await begin() else { return 0 }
        if task.subject.type == .user { try await linkInstalls() }
        let drainedMs = try await drain()
        var erased = 0
        for environment in AppEnvironment.allCases.map(\.code) {
            erased += try await eraseStored(environment)
        }
        let scrub = SetAsideScrub(search: SubjectSearch(task.subject), messagesMax: limits.messagesMax)
        try await scrub.all(connection) { try before(.scrub) }
        repeat {
            erased += try await sweeper.sweep(request: task.id)
            try await ErasedDays(app: task.app, connection: connection).close { try before(.close) }
        } while try await !finish(scrub, drainedMs: drainedMs)
        return erased
    }

    private var sweeper: LateLinkSweeper {
        LateLinkSweeper(
            app: task.app,
            connection: connection,
            limits: limits,
            before: before
        )
    }

    private var eraser: EventEraser {
        EventEraser(request: task.id, eventsMax: limits.eventsMax)
    }

    /// From here on nothing of the subject is stored any more.
    private func begin() async throws -> Bool {
        try before(.begin)
        return try await connection.transaction { connection in
            try StoreBarrier.close(connection)
            let hash = hasher.subject(task.subject)
            let begun = try connection.execute(ErasureStatements.begin(task.id, hash: hash, nowMs: nowMs()))
            guard begun == 1 else { return false }
            let kind: SuppressionKind = task.subject.type == .user ? .user : .install
            try connection.execute(ErasureStatements.addRules(task, kind: kind, hashes: [hash]))
            try connection.execute(ErasureStatements.adoptRules(task))
            try connection.execute(ErasureStatements.dropAdopted(task))
            return true
        }
    }

    /// Rules for what the user's own installs sent without naming anybody.
    private func linkInstalls() async throws {
        for environment in AppEnvironment.allCases.map(\.code) {
            guard let user = try await userNumber(environment) else { continue }
            var after: Int32 = 0
            while true {
                try before(.link)
                let owned = try await connection.rows(
                    """
                    SELECT i.install_no, i.install_id
                    FROM user_installs l JOIN installs i USING (app_no, environment, install_no)
                    WHERE l.app_no = \(task.app) AND l.environment = \(environment) AND l.user_no = \(user)
                      AND i.owner_no = \(user) AND l.install_no > \(after)
                    ORDER BY l.install_no LIMIT \(limits.rulesMax)
                    """
                ) { (number: try $0.int32(0), id: try $0.uuid128(1)) }
                guard let last = owned.last else { break }
                let hashes = owned.map { hasher.anonymous($0.id, environment: environment) }
                try await connection.execute(
                    ErasureStatements.addRules(task, kind: .installAnonymous, hashes: hashes)
                )
                after = last.number
            }
        }
    }

    /// Waits for the batches that have not seen the rules, and returns the database's time before that.
    private func drain() async throws -> Int64 {
        try before(.drain)
        let time = try await connection.first("SELECT clock_timestamp() LIMIT 1") { try $0.timestampMs(0) }
        try await connection.transaction { try StoreBarrier.close($0) }
        return time ?? 0
    }

    private func eraseStored(_ environment: Int16) async throws -> Int {
        switch task.subject.type {
        case .user: try await eraseUser(environment)
        case .install: try await eraseInstall(environment)
        }
    }

    private func eraseUser(_ environment: Int16) async throws -> Int {
        guard let user = try await userNumber(environment) else { return 0 }
        var erased = 0
        while true {
            let group = try await connection.rows(
                """
                SELECT l.install_no, i.install_id
                FROM user_installs l LEFT JOIN installs i USING (app_no, environment, install_no)
                WHERE l.app_no = \(task.app) AND l.environment = \(environment) AND l.user_no = \(user)
                ORDER BY l.install_no LIMIT \(limits.installsMax)
                """
            ) { row in
                let id = try row.optionalUUID(1).map { UUID128(high: $0.high, low: $0.low) }
                return (number: try row.int32(0), id: id)
            }
            let installs = group.map(\.number)
            let owned = try await owned(group, environment)
            erased += try await erase(
                .events(of: user, installs: installs, owned: owned, app: task.app, environment: environment)
            )
            try before(.repair)
            try await connection.transaction { connection in
                try StoreBarrier.close(connection)
                try connection.execute(
                    """
                    DELETE FROM user_installs
                    WHERE app_no = \(task.app) AND environment = \(environment) AND user_no = \(user)
                      AND install_no = ANY(\(installs)::integer[])
                    """
                )
                try IdentityRepair.installs(installs, app: task.app, environment: environment, connection)
                guard installs.isEmpty else { return }
                try IdentityRepair.users([user], app: task.app, environment: environment, connection)
            }
            if installs.isEmpty { return erased }
        }
    }

    /// Those whose anonymous events the request has a rule for.
    ///
    /// Not those of which the user is the first owner now: that may have changed since, and what is taken and what is kept away must be the
    /// same.
    private func owned(_ installs: [(number: Int32, id: UUID128?)], _ environment: Int16) async throws
        -> [Int32]
    {
        var numbers: [[UInt8]: Int32] = [:]
        for install in installs {
            guard let id = install.id else { continue }
            numbers[hasher.anonymous(id, environment: environment)] = install.number
        }
        let ruled = try await connection.rows(
            """
            SELECT subject_hash FROM suppressions
            WHERE app_no = \(task.app) AND kind = 'install_anonymous' AND request_id = \(task.id)::uuid
              AND subject_hash = ANY(\(Array(numbers.keys))::bytea[])
            """
        ) { try $0.bytes(0) }
        return ruled.compactMap { numbers[$0] }
    }

    private func eraseInstall(_ environment: Int16) async throws -> Int {
        guard let install = try await installNumber(environment) else { return 0 }
        let erased = try await erase(.everything(of: install, app: task.app, environment: environment))
        while true {
            let users = try await connection.rows(
                """
                SELECT user_no FROM user_installs
                WHERE app_no = \(task.app) AND environment = \(environment) AND install_no = \(install)
                ORDER BY user_no LIMIT \(limits.usersMax)
                """
            ) { try $0.int32(0) }
            try before(.repair)
            try await connection.transaction { connection in
                try StoreBarrier.close(connection)
                try connection.execute(
                    """
                    DELETE FROM user_installs
                    WHERE app_no = \(task.app) AND environment = \(environment) AND install_no = \(install)
                      AND user_no = ANY(\(users)::integer[])
                    """
                )
                try IdentityRepair.users(users, app: task.app, environment: environment, connection)
                guard users.isEmpty else { return }
                try IdentityRepair.installs([install], app: task.app, environment: environment, connection)
            }
            if users.isEmpty { return erased }
        }
    }

    private func erase(_ victims: Victims) async throws -> Int {
        let eraser = eraser
        var erased = 0
        while true {
            try before(.deleteEvents)
            let count = try await connection.transaction { try eraser.erase(victims, $0) }
            if count == 0 { return erased }
            erased += count
        }
    }

    /// Ends the request, unless a late event has meanwhile shown another install to be the subject's.
    private func finish(_ scrub: SetAsideScrub, drainedMs: Int64) async throws -> Bool {
        try before(.finish)
        return try await connection.transaction { connection in
            try StoreBarrier.close(connection)
            let isSwept = try connection.first(
                "SELECT NOT EXISTS (SELECT FROM suppressions WHERE request_id = \(task.id)::uuid AND NOT swept) LIMIT 1"
            ) { try $0.bool(0) }
            guard isSwept == true else { return false }
            try scrub.late(sinceMs: drainedMs, connection)
            let nowMs = nowMs()
            try connection.execute(ErasureStatements.endRules(task.id, nowMs: nowMs))
            try connection.execute(ErasureStatements.closeFailed(task))
            try connection.execute(ErasureStatements.end(task.id, nowMs: nowMs))
            try connection.execute(ErasureStatements.dropCovered(by: task.id))
            return true
        }
    }

    private func userNumber(_ environment: Int16) async throws -> Int32? {
        try await connection.first(
            """
            SELECT user_no FROM users
            WHERE app_no = \(task.app) AND environment = \(environment) AND user_id = \(task.subject.value) LIMIT 1
            """
        ) { try $0.int32(0) }
    }

    private func installNumber(_ environment: Int16) async throws -> Int32? {
        try await connection.first(
            """
            SELECT install_no FROM installs
            WHERE app_no = \(task.app) AND environment = \(environment)
              AND install_id = \(task.subject.value)::uuid LIMIT 1
            """
        ) { try $0.int32(0) }
    }
}
