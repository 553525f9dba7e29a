import Calendar
import Contracts
import Postgres
import Schema

/// When a world would rather begin anew.
struct WorldLimits: Sendable {
    /// An older cursor is as good as none.
    var cursorAgeMsMax = IdentityCursor.ageMsMax
    /// So many changes are always read one by one, and a tenth of the people are.
    var changesMin = 20_000
    var changesPart = 10

    func changesMost(of people: Int) -> Int { max(changesMin, people / changesPart) }
}

/// What a world knows already when it looks into the database.
struct WorldKnowledge: Sendable {
    var cursor: IdentityCursor?
    var limits = WorldLimits()
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
        /// With `keepsNumbers` nobody who was known has gone.
        case everybody(PeopleMap, keepsNumbers: Bool)
        /// The changes are in the box already; first events came or went at these moments.
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
    /// Days of which only totals are kept, and the first day of which more is.
    var frozen = FrozenTotals()
    var totalsOnlyBefore: LocalDay?
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
        let state = try statements.state(xmin: moment.xmin, connection)
        let people = try people(knowledge, state, moment, statements, connection)
        var load = WorldLoad(
            zone: moment.zone,
            asOfMs: moment.asOfMs,
            dataThroughMs: moment.dataThroughMs,
            cursor: IdentityCursor(xmin: moment.xmin, state: state, readAtMs: moment.asOfMs),
            people: people,
            stateTag: ""
        )
        try load.readDays(key, request.spans, knowing: knowledge, moment, connection)
        for span in request.rowSpans {
            let rows = try connection.rows(DayRows.blocks(key, span.days, moment)) { try DayRows.Bytes($0) }
            load.rows += try DayRows.decode(rows)
        }
        let closed = Set(load.versions.map(\.day))
        load.frozen = try FrozenTotals.load(key, request, moment, without: closed, connection)
        load.totalsOnlyBefore = load.frozen.keptFrom(moment)
        try load.readContexts(key, knowledge, connection)
        load.stateTag =
            "\(moment.zone.name) \(moment.zoneVersion) \(state.tag) "
            + load.versions.map { "\($0.day.number):\($0.version.revision)" }.joined(separator: ",")
        if let day = load.totalsOnlyBefore { load.stateTag += " \(day.number):\(load.frozen.digest.value)" }
        return load
    }

    /// The changes, or everybody where they are not known, or so many that reading everybody is less work.
    private static func people(
        _ knowledge: WorldKnowledge,
        _ state: IdentityState,
        _ moment: Moment,
        _ statements: PeopleStatements,
        _ connection: isolated PostgresConnection
    ) throws -> People {
        guard let cursor = knowledge.cursor,
            cursor.isUsable(nowMs: moment.asOfMs, ageMsMax: knowledge.limits.cursorAgeMsMax)
        else { return .everybody(try statements.everybody(connection), keepsNumbers: false) }
        if state == cursor.state { return .changes(PeopleChanges(), touchedMs: []) }
        let known = knowledge.people.value
        let most = knowledge.limits.changesMost(of: known.rowCount)
        guard try statements.changeCount(since: cursor, connection) <= most else {
            let map = try statements.everybody(connection)
            return .everybody(map, keepsNumbers: map.hasEverybody(of: known))
        }
        let changes = try statements.changes(since: cursor, connection)
        return .changes(changes, touchedMs: knowledge.people.apply(changes))
    }

    /// The days at hand that may stay: none once somebody was erased.
    private func usable(_ knowledge: WorldKnowledge) -> [LocalDay: DayVersion] {
        switch people {
        case .everybody(_, let keepsNumbers): keepsNumbers ? knowledge.revisions : [:]
        case .changes(let changes, _): changes.hasDeletions ? [:] : knowledge.revisions
        }
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
        try connection.forEachRow(DayRows.blocks(key, missing, moment)) {
            pipeline.add(try DayRows.Bytes($0))
        }
        days = try pipeline.finish()
    }

    private func map(_ knowledge: WorldKnowledge) -> PeopleMap {
        switch people {
        case .everybody(let map, _): map
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
