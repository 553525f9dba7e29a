import Calendar
import Contracts
import JSON
import Postgres

/// `GET /v1/portfolio`: each app the key sees, with the figures of its last full local day.
///
/// Parameters: `environment`, `unit`, `include_archived`. Apps come in the order of `GET /v1/apps`, each as of its own moment: an item never
/// mixes two states of its app, but two items may be moments apart.
struct PortfolioAPI {
    let environment: AppEnvironment
    let unit: ReportUnit
    let includesArchived: Bool

    /// One app's figures and the moment they are of.
    struct Item: Sendable {
        var app: AppRecord
        var figures: PortfolioFigures
        var zone: LocalZone
        var asOfMs: Int64
        var dataThroughMs: Int64
        /// Of some of its days before this one only totals are kept.
        var totalsOnlyBefore: LocalDay?
    }

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        environment = try query.choice("environment", default: .production)
        unit = try query.choice("unit", default: .persons)
        includesArchived = try query.flag("include_archived")
    }

    func apps(_ access: APIAccess, _ connection: PostgresConnection) async throws -> [AppRecord] {
        let statement = AppRecord.all(for: access, includingArchived: includesArchived)
        return try await connection.rows(statement) { try AppRecord($0) }
    }

    /// Reads the worlds of the apps; must not be called by whoever holds a connection.
    func items(
        _ apps: [AppRecord],
        _ worlds: WorldCache,
        nowMs: Int64,
        _ pool: PostgresPool
    ) async throws -> [Item] {
        var items: [Item] = []
        for app in apps {
            guard let snapshot = try await snapshot(app, worlds, nowMs: nowMs, pool) else { continue }
            items.append(
                Item(
                    app: app,
                    figures: PortfolioFigures(snapshot, unit: unit),
                    zone: snapshot.zone,
                    asOfMs: snapshot.asOfMs,
                    dataThroughMs: snapshot.dataThroughMs,
                    totalsOnlyBefore: snapshot.totalsOnlyBefore
                )
            )
        }
        return items
    }

    static func json(_ items: [Item]) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 64 + items.count * 3_000)
        writer.beginObject()
        writer.members("items", items) { write($0, to: &$1) }
        writer.endObject()
        return writer.bytes
    }

    /// Nil for an app that was deleted since the list was read.
    private func snapshot(
        _ app: AppRecord,
        _ worlds: WorldCache,
        nowMs: Int64,
        _ pool: PostgresPool
    ) async throws -> ReportSnapshot? {
        let zone = try LocalZone(named: app.timezone)
        let request = SnapshotRequest(
            spans: [PortfolioFigures.span(zone, atMs: nowMs)],
            dimensions: [.platform]
        )
        let key = WorldKey(app: app.number, environment: environment)
        do {
            return try await worlds.snapshot(key, request, pool)
        } catch let damage as DamagedDay {
            throw UnreadableDay(app: key.app, environment: key.environment, damage: damage)
        } catch let refusal as ReadRefusal where refusal.code == .appNotFound {
            return nil
        }
    }

    private static func write(_ item: Item, to writer: inout JSONWriter) {
        let figures = item.figures
        writer.key("app")
        AppsAPI.write(item.app, to: &writer)
        writer.member("date", figures.day.description)
        writer.member("dau", figures.dau.map(Int64.init))
        writer.key("compare")
        writer.beginObject()
        writer.member("date", figures.weekAgo.description)
        writer.member("dau", figures.dauWeekAgo.map(Int64.init))
        writer.endObject()
        writer.key("delta_pct")
        writer.change(from: figures.dauWeekAgo.map(Int64.init), to: figures.dau.map(Int64.init))
        writer.member("new", figures.new.map(Int64.init))
        writer.member("sessions", figures.sessions.map(Int64.init))
        writer.key("d1")
        writer.share(figures.dayOne.returned, of: figures.dayOne.size)
        writer.key("d7")
        writer.share(figures.daySeven.returned, of: figures.daySeven.size)
        writer.members("trend", figures.trend) { point, writer in
            writer.member("ts", atMs: point.startMs, in: item.zone)
            writer.member("value", point.value)
        }
        writer.members("platforms", figures.platforms) { platform, writer in
            writer.member("platform", platform.platform)
            writer.member("active", platform.active.map(Int64.init))
            writer.key("share")
            writer.share(platform.active, of: figures.dau)
        }
        writer.writeCoverage(item.totalsOnlyBefore)
        writer.member("as_of", atMs: item.asOfMs)
        writer.member("data_through", atMs: item.dataThroughMs)
    }
}
