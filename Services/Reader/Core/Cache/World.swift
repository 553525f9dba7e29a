import Calendar
import Contracts
import Postgres

/// Which world reports are made of: an app's environment.
struct WorldKey: Sendable, Hashable {
    let app: Int32
    let environment: AppEnvironment
}

/// What is kept in memory of one app's environment: its people, contexts, and closed days laid out for scanning.
///
/// Only one request at a time looks into the database and brings the copy up to date; computing happens outside, on values.
actor World {
    private let key: WorldKey
    private let limits: WorldLimits
    private let people = PeopleBox()
    private var contexts = ContextTable()
    private var cursor: IdentityCursor?
    private var days: [LocalDay: CachedDay] = [:]
    private var useCount: UInt64 = 0
    private let turn = Turnstile()

    private struct CachedDay {
        var version: DayVersion
        var resolved: ResolvedDay
        /// That of the people it was resolved with; nil when it must be resolved anew.
        var mapping: Int?
        var lastUse: UInt64

        func isAround(_ moments: [Int64]) -> Bool {
            moments.contains { resolved.bounds.contains($0) }
        }

        var bytes: Int { resolved.scan.bytes + resolved.bytes }
    }

    init(_ key: WorldKey, limits: WorldLimits = WorldLimits()) {
        self.key = key
        self.limits = limits
    }

    /// Brings the copy up to date in one snapshot and returns it.
    ///
    /// The turn comes before the connection: those who wait for another request to load must not keep everybody else from the database.
    ///
    /// - Throws: `ReadRefusal`, `PostgresError`, `UnknownZone`, `DamagedDay`; the copy stays usable.
    func snapshot(_ request: SnapshotRequest, _ pool: PostgresPool) async throws -> ReportSnapshot {
        try await turn.enter()
        defer { turn.leave() }
        // Somebody may trim the days while this waits for the database, which then does not bring those it was told are here.
        let atHand = days
        let knowledge = WorldKnowledge(
            cursor: cursor,
            limits: limits,
            revisions: atHand.mapValues(\.version),
            contexts: contexts,
            people: people
        )
        let key = key
        let load = try await pool.withConnection { connection in
            try await connection.transaction { connection in
                try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                return try WorldLoad.load(key, request, knowing: knowledge, connection)
            }
        }
        days = atHand
        take(load)
        return ReportSnapshot(
            data: ReportData(
                days: load.versions.compactMap { days[$0.day]?.resolved },
                people: people.value,
                contexts: contexts,
                frozen: load.frozen
            ),
            rows: load.rows,
            zone: load.zone,
            asOfMs: load.asOfMs,
            dataThroughMs: load.dataThroughMs,
            stateTag: load.stateTag,
            totalsOnlyBefore: load.totalsOnlyBefore
        )
    }

    private func take(_ load: WorldLoad) {
        useCount += 1
        for (number, context) in load.contexts { contexts.add(number, context) }
        switch load.people {
        case .everybody(let map, let keepsNumbers):
            people.replace(with: map)
            if !keepsNumbers { days = [:] }
            // Whose a row is may have changed in any way since the old copy.
            for day in days.keys { days[day]?.mapping = nil }
        case .changes(let changes, let touchedMs):
            // What is laid out counts sessions of people who are gone; the load has brought the days anew.
            if changes.hasDeletions { days = [:] }
            for day in days.keys where days[day]?.isAround(touchedMs) ?? false { days[day]?.mapping = nil }
        }
        cursor = load.cursor
        lay(load)
    }

    /// Lays out the days that are new, and resolves anew those whose people may be others.
    private func lay(_ load: WorldLoad) {
        let (people, contexts) = (people.value, contexts)
        let versions = Dictionary(load.versions.map { ($0.day, $0.version) }) { first, _ in first }
        let fresh = Parallel.map(load.days) { day in
            var placed = day
            placed.place(in: contexts)
            return placed
        }
        let stale = load.versions.compactMap { day, version -> ResolvedDay? in
            guard let cached = days[day], cached.version == version, cached.mapping != people.mapping else {
                return nil
            }
            return cached.resolved
        }
        let renewed = Parallel.map(stale) { ResolvedDay($0, people: people, contexts: contexts) }
        for day in fresh + renewed {
            guard let version = versions[day.day] else { continue }
            days[day.day] = CachedDay(
                version: version,
                resolved: day,
                mapping: people.mapping,
                lastUse: useCount
            )
        }
        for day in versions.keys { days[day]?.lastUse = useCount }
    }

    /// Bytes of memory, about.
    var bytes: Int {
        people.value.bytes + contexts.bytes + days.values.reduce(0) { $0 + $1.bytes }
    }

    /// Forgets the days used longest ago until what is left fits; the people stay.
    func trim(toBytes bytesMax: Int) {
        var left = bytes
        for (day, cached) in days.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard left > bytesMax else { return }
            left -= cached.bytes
            days[day] = nil
        }
    }
}
