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
    private var people = PeopleMap()
    private var contexts = ContextTable()
    private var cursor: IdentityCursor?
    private var days: [LocalDay: CachedDay] = [:]
    private var useCount: UInt64 = 0
    private let turn = Turnstile()

    private struct CachedDay {
        var version: DayVersion
        var resolved: ResolvedDay
        var mapping: Int
        var lastUse: UInt64

        var bytes: Int { resolved.scan.bytes + resolved.bytes }
    }

    init(_ key: WorldKey) {
        self.key = key
    }

    /// Brings the copy up to date in one snapshot and returns it.
    ///
    /// - Throws: `ReadRefusal`, `PostgresError`, `UnknownZone`, `DamagedDay`; the copy stays as it was.
    func snapshot(_ request: SnapshotRequest, _ connection: PostgresConnection) async throws
        -> ReportSnapshot
    {
        await turn.enter()
        defer { turn.leave() }
        let knowledge = WorldKnowledge(
            cursor: cursor,
            revisions: days.mapValues(\.version),
            contexts: contexts
        )
        let key = key
        let load = try await connection.transaction { connection in
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return try WorldLoad.load(key, request, knowing: knowledge, connection)
        }
        take(load)
        return ReportSnapshot(
            data: ReportData(
                days: load.versions.compactMap { days[$0.day]?.resolved },
                people: people,
                contexts: contexts
            ),
            rows: load.rows,
            zone: load.zone,
            asOfMs: load.asOfMs,
            dataThroughMs: load.dataThroughMs,
            stateTag: load.stateTag
        )
    }

    private func take(_ load: WorldLoad) {
        useCount += 1
        for (number, context) in load.contexts { contexts.add(number, context) }
        switch load.people {
        case .everybody(let map):
            people = map
            // Who a number is may have changed in any way since the old copy.
            days = [:]
        case .changes(let changes):
            people.apply(changes)
            // What is laid out counts sessions of people who are gone; the load has brought the days anew.
            if changes.hasDeletions { days = [:] }
        }
        cursor = load.cursor
        let (people, contexts) = (people, contexts)
        let versions = Dictionary(load.versions.map { ($0.day, $0.version) }) { first, _ in first }
        let scans = Parallel.map(load.days) { ScanDay($0, people: people, contexts: contexts) }
        var stale = scans
        for (day, version) in load.versions {
            guard let cached = days[day], cached.version == version, cached.mapping != people.mapping else {
                continue
            }
            stale.append(cached.resolved.scan)
        }
        for resolved in Parallel.map(stale, { ResolvedDay($0, people: people) }) {
            guard let version = versions[resolved.day] else { continue }
            days[resolved.day] = CachedDay(
                version: version,
                resolved: resolved,
                mapping: people.mapping,
                lastUse: useCount
            )
        }
        for day in versions.keys { days[day]?.lastUse = useCount }
    }

    /// Bytes of memory, about.
    var bytes: Int {
        people.bytes + contexts.bytes + days.values.reduce(0) { $0 + $1.bytes }
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
