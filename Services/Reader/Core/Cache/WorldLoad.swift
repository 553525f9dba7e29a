import Calendar
import Contracts
import Postgres
import Schema

/// What a world knows already when it looks into the database.
struct WorldKnowledge: Sendable {
    var cursor: IdentityCursor?
    /// An older cursor is as good as none.
    var cursorAgeMsMax = IdentityCursor.ageMsMax
    /// Revisions of the days that are at hand.
    var revisions: [LocalDay: DayVersion] = [:]
    var contexts = ContextTable()
    /// Brought up to date by the load.
    var people = PeopleBox()
}

/// What makes a stored day the one it is.
struct DayVersion: Sendable, Hashable {
    var revision: Int
    var zoneVersion: Int
}

/// What one look into the database brought: everything of one snapshot, so that no answer mixes two states of the data.
struct WorldLoad: Sendable {
    enum People: Sendable {
        case everybody(PeopleMap)
        /// The changes are in the box; first events came or went at these moments.
        case changes(PeopleChanges, touchedMs: [Int64])
    }

    var zone: LocalZone
    var asOfMs: Int64
    /// Everything stored before this instant is in the figures.
    var dataThroughMs: Int64
    var cursor: IdentityCursor
    var people: People
    var contexts: [(number: Int32, context: ReportContext)] = []
    /// Every closed day of the span, in order.
    var versions: [(day: LocalDay, version: DayVersion)] = []
    /// Those that were not at hand, still to be placed among their contexts.
    var days: [ResolvedDay] = []
    /// The days whose rows were wanted.
    var rows: [ReportDay] = []
    /// Names the state this answer is made of.
    var stateTag: String

    static func load(
        _ key: WorldKey,
        _ request: SnapshotRequest,
        knowing knowledge: WorldKnowledge,
        _ connection: isolated PostgresConnection
    ) throws -> WorldLoad {
        let moment = try Moment.read(key, connection)
        let statements = PeopleStatements(app: key.app, environment: key.environment)
        let latest = try statements.latestChange(connection)
        let people: People
        if let cursor = knowledge.cursor,
            cursor.isUsable(nowMs: moment.asOfMs, ageMsMax: knowledge.cursorAgeMsMax)
        {
            let isSame = latest.xid < cursor.xmin
            let changes = isSame ? PeopleChanges() : try statements.changes(since: cursor, connection)
            // Before anything else can fail: whoever reads the same changes again finds nothing to do.
            people = .changes(changes, touchedMs: knowledge.people.apply(changes))
        } else {
            people = .everybody(try statements.everybody(connection))
        }
        var load = WorldLoad(
            zone: moment.zone,
            asOfMs: moment.asOfMs,
            dataThroughMs: moment.dataThroughMs,
            cursor: IdentityCursor(xmin: moment.xmin, readAtMs: moment.asOfMs),
            people: people,
            stateTag: ""
        )
        try load.readDays(key, request.spans, knowing: knowledge, moment, connection)
        for span in request.rowSpans {
            let rows = try connection.rows(DayRows.blocks(key, span.days, moment)) { try DayRows.Bytes($0) }
            load.rows += try DayRows.decode(rows)
        }
        try load.readContexts(key, knowledge, connection)
        // While transactions from before the latest change are still under way, what they bring would not move its number.
        let seen = latest.xid < moment.xmin ? "\(latest.number)" : "\(latest.number)@\(moment.snapshot)"
        load.stateTag =
            "\(moment.zone.name) \(seen) "
            + load.versions.map { "\($0.day.number):\($0.version.revision)" }.joined(separator: ",")
        return load
    }

    /// The days at hand that may stay: none once somebody was erased.
    private func usable(_ knowledge: WorldKnowledge) -> [LocalDay: DayVersion] {
        guard case .changes(let changes, _) = people, !changes.hasDeletions else { return [:] }
        return knowledge.revisions
    }

    private mutating func readDays(
        _ key: WorldKey,
        _ spans: [DaySpan],
        knowing knowledge: WorldKnowledge,
        _ moment: Moment,
        _ connection: isolated PostgresConnection
    ) throws {
        let revisions = usable(knowledge)
        var missing: [LocalDay] = []
        var seen: Set<LocalDay> = []
        for span in spans {
            let rows = try connection.rows(DayRows.versions(key, span, moment)) {
                (try $0.localDay(0), DayVersion(revision: try $0.int(1), zoneVersion: moment.zoneVersion))
            }
            for (day, version) in rows where seen.insert(day).inserted {
                versions.append((day, version))
                if revisions[day] != version { missing.append(day) }
            }
        }
        versions.sort { $0.day < $1.day }
        guard !missing.isEmpty else { return }
        let pipeline = DayPipeline(people: map(knowledge))
        try connection.forEachRow(DayRows.blocks(key, missing, moment)) { pipeline.add(try DayRows.Bytes($0)) }
        days = try pipeline.finish()
    }

    private func map(_ knowledge: WorldKnowledge) -> PeopleMap {
        switch people {
        case .everybody(let map): map
        case .changes: knowledge.people.value
        }
    }

    /// Contexts of the new blocks and of new people, unless known.
    private mutating func readContexts(
        _ key: WorldKey,
        _ knowledge: WorldKnowledge,
        _ connection: isolated PostgresConnection
    ) throws {
        var wanted: [Int32]?
        if case .changes(let changes, _) = people {
            let numbers = changes.contextNumbers + days.flatMap(\.scan.contextNumbers)
            let unknown = Set(numbers.filter { !knowledge.contexts.knows($0) })
            if unknown.isEmpty { return }
            wanted = unknown.sorted()
        }
        contexts = try connection.rows(ContextRows.statement(app: key.app, numbers: wanted)) {
            try ContextRows.read($0)
        }
    }
}

extension PeopleChanges {
    /// The contexts of first events.
    fileprivate var contextNumbers: [Int32] {
        installs.flatMap { [$0.first, $0.anonymousFirst].compactMap { $0?.context } }
            + users.compactMap { $0.first?.context }
    }
}
