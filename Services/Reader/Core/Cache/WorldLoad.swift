import Calendar
import Contracts
import Dispatch
import Postgres
import Schema
import Wire

/// What a world knows already when it looks into the database.
struct WorldKnowledge: Sendable {
    var cursor: IdentityCursor?
    /// Revisions of the days that are at hand.
    var revisions: [LocalDay: DayVersion] = [:]
    var contexts = ContextTable()
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
        case changes(PeopleChanges)
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
    /// Those that were not at hand.
    var days: [ReportDay] = []
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
        if let cursor = IdentityCursor.isUsable(knowledge.cursor, nowMs: moment.asOfMs) {
            let isSame = latest.xid < cursor.xmin
            people = .changes(
                isSame ? PeopleChanges() : try statements.changes(since: cursor, connection)
            )
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
        try load.readDays(key, request.spans, knowing: load.usable(knowledge), moment, connection)
        for span in request.rowSpans {
            let rows = try connection.rows(DayRows.blocks(key, span.days, moment)) { try DayRows.Bytes($0) }
            load.rows += try DayRows.decode(rows)
        }
        try load.readContexts(key, knowledge, connection)
        load.stateTag =
            "\(moment.zone.name) \(moment.zoneVersion) \(latest.number) "
            + load.versions.map { "\($0.day.number):\($0.version.revision)" }.joined(separator: ",")
        return load
    }

    /// The days at hand that may stay: none once somebody was erased.
    private func usable(_ knowledge: WorldKnowledge) -> [LocalDay: DayVersion] {
        guard case .changes(let changes) = people, !changes.hasDeletions else { return [:] }
        return knowledge.revisions
    }

    private mutating func readDays(
        _ key: WorldKey,
        _ spans: [DaySpan],
        knowing revisions: [LocalDay: DayVersion],
        _ moment: Moment,
        _ connection: isolated PostgresConnection
    ) throws {
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
        // A few at a time, so that the bytes of a year never lie beside what they become.
        for start in stride(from: 0, to: missing.count, by: DayRows.chunk) {
            let part = Array(missing[start..<min(start + DayRows.chunk, missing.count)])
            let rows = try connection.rows(DayRows.blocks(key, part, moment)) { try DayRows.Bytes($0) }
            days += try DayRows.decode(rows)
        }
    }

    /// Contexts of the new blocks and of new people, unless known.
    private mutating func readContexts(
        _ key: WorldKey,
        _ knowledge: WorldKnowledge,
        _ connection: isolated PostgresConnection
    ) throws {
        var wanted: Set<Int32> = []
        for day in days {
            for group in day.block.groups where !knowledge.contexts.knows(group.context) {
                wanted.insert(group.context)
            }
        }
        switch people {
        case .everybody: wanted = []
        case .changes(let changes):
            for install in changes.installs {
                for event in [install.first, install.anonymousFirst] {
                    if let event, !knowledge.contexts.knows(event.context) { wanted.insert(event.context) }
                }
            }
            for user in changes.users {
                if let event = user.first, !knowledge.contexts.knows(event.context) {
                    wanted.insert(event.context)
                }
            }
            if wanted.isEmpty { return }
        }
        let numbers: [Int32]? = wanted.isEmpty ? nil : wanted.sorted()
        contexts = try connection.rows(ContextRows.statement(app: key.app, numbers: numbers)) {
            try ContextRows.read($0)
        }
    }
}

/// When the snapshot was taken, and what held then.
struct Moment: Sendable {
    var asOfMs: Int64
    var dataThroughMs: Int64
    var xmin: Int64
    var zone: LocalZone
    var zoneVersion: Int

    static func read(_ key: WorldKey, _ connection: isolated PostgresConnection) throws -> Moment {
        let scope: SQL = "d.app_no = \(key.app) AND d.environment = \(key.environment.code)"
        let row = try connection.first(
            """
            SELECT now(),
                   least(now(), (SELECT min(marked_at) FROM dirty_days d
                                 WHERE \(scope) AND d.zone_version = a.zone_version)),
                   pg_snapshot_xmin(pg_current_snapshot())::text::bigint, a.timezone, a.zone_version
            FROM apps a WHERE a.app_no = \(key.app) LIMIT 1
            """
        ) {
            (
                try $0.timestampMs(0), try $0.timestampMs(1), try $0.int64(2),
                try $0.string(3), try $0.int(4)
            )
        }
        // An app that has gone since it was looked up.
        guard let (asOfMs, throughMs, xmin, name, zoneVersion) = row else { throw ReadRefusal(.appNotFound) }
        return Moment(
            asOfMs: asOfMs,
            dataThroughMs: throughMs,
            xmin: xmin,
            zone: try LocalZone(named: name),
            zoneVersion: zoneVersion
        )
    }
}

/// The rows of closed days.
private enum DayRows {
    static let chunk = 16

    static func versions(_ key: WorldKey, _ span: DaySpan, _ moment: Moment) -> SQL {
        """
        SELECT day, revision FROM closed_days
        WHERE app_no = \(key.app) AND environment = \(key.environment.code)
          AND zone_version = \(moment.zoneVersion) AND day BETWEEN \(span.first)::date AND \(span.last)::date
        ORDER BY day LIMIT 4000
        """
    }

    static func blocks(_ key: WorldKey, _ days: [LocalDay], _ moment: Moment) -> SQL {
        """
        SELECT day, first_at, end_at, block FROM closed_days
        WHERE app_no = \(key.app) AND environment = \(key.environment.code)
          AND zone_version = \(moment.zoneVersion) AND day = ANY(\(days.map(\.description))::date[])
        ORDER BY day LIMIT \(days.count)
        """
    }

    struct Bytes: Sendable {
        var day: LocalDay
        var bounds: Range<Int64>
        var block: [UInt8]

        init(_ row: borrowing Row) throws {
            day = try row.localDay(0)
            let (first, end) = (try row.timestampMs(1), try row.timestampMs(2))
            bounds = first..<max(first, end)
            block = try row.bytes(3)
        }
    }

    /// - Throws: `DamagedDay`: no figure is better than another one than the events give.
    static func decode(_ rows: [Bytes]) throws -> [ReportDay] {
        let decoded = Parallel.map(rows) { row -> Result<ReportDay, DamagedDay> in
            do throws(DayBlockError) {
                let block = try DayBlockCodec.decode(row.block)
                return .success(ReportDay(day: row.day, bounds: row.bounds, block: block))
            } catch {
                return .failure(DamagedDay(day: row.day, reason: error))
            }
        }
        return try decoded.map { try $0.get() }
    }
}

/// A stored day that cannot be read.
struct DamagedDay: Error, CustomStringConvertible {
    let day: LocalDay
    let reason: DayBlockError
    var description: String { "the block of \(day) cannot be read: \(reason)" }
}

/// The rows of contexts.
enum ContextRows {
    static func statement(app: Int32, numbers: [Int32]?) -> SQL {
        """
        SELECT context_no, platform, os_name, os_version, app_version, device_model, device_type, country, city,
               locale
        FROM contexts
        WHERE app_no = \(app) AND (\(numbers)::integer[] IS NULL OR context_no = ANY(\(numbers)::integer[]))
        ORDER BY context_no LIMIT 100000000
        """
    }

    static func read(_ row: borrowing Row) throws -> (number: Int32, context: ReportContext) {
        var context = ReportContext(platform: try row.string(1))
        let rest: [ReportDimension] = [
            .osName, .osVersion, .appVersion, .deviceModel, .deviceType, .country, .city, .locale,
        ]
        for (index, dimension) in rest.enumerated() {
            context[dimension] = try row.optionalString(2 + index)
        }
        return (try row.int32(0), context)
    }
}
