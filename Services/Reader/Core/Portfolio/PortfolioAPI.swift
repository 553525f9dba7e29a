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

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        environment = try query.choice("environment", default: .production)
        unit = try query.choice("unit", default: .persons)
        includesArchived = try query.flag("include_archived")
    }

    func answer(
        _ access: APIAccess,
        _ worlds: WorldCache,
        nowMs: Int64,
        _ connection: PostgresConnection
    ) async throws -> [UInt8] {
        let statement = AppRecord.all(for: access, includingArchived: includesArchived)
        let apps = try await connection.rows(statement) { try AppRecord($0) }
        var writer = JSONWriter(reservingBytes: 64 + apps.count * 3_000)
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for app in apps {
            guard let snapshot = try await snapshot(app, worlds, nowMs: nowMs, connection) else { continue }
            write(app, PortfolioFigures(snapshot, unit: unit), snapshot, to: &writer)
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Nil for an app that was deleted since the list was read.
    private func snapshot(
        _ app: AppRecord,
        _ worlds: WorldCache,
        nowMs: Int64,
        _ connection: PostgresConnection
    ) async throws -> ReportSnapshot? {
        let zone = try LocalZone(named: app.timezone)
        let request = SnapshotRequest(spans: [PortfolioFigures.span(zone, atMs: nowMs)])
        let key = WorldKey(app: app.number, environment: environment)
        do {
            return try await worlds.snapshot(key, request, connection)
        } catch let damage as DamagedDay {
            throw UnreadableDay(app: key.app, environment: key.environment, damage: damage)
        } catch let refusal as ReadRefusal where refusal.code == .appNotFound {
            return nil
        }
    }

    private func write(
        _ app: AppRecord,
        _ figures: PortfolioFigures,
        _ snapshot: ReportSnapshot,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("app")
        AppsAPI.write(app, to: &writer)
        writer.member("date", figures.day.description)
        writer.member("dau", figures.dau)
        writer.key("compare")
        writer.beginObject()
        writer.member("date", figures.weekAgo.description)
        writer.member("dau", figures.dauWeekAgo)
        writer.endObject()
        writer.key("delta_pct")
        writer.change(from: Int64(figures.dauWeekAgo), to: Int64(figures.dau))
        writer.member("new", figures.new)
        writer.member("sessions", figures.sessions)
        writer.key("d1")
        writer.share(figures.dayOne.returned, of: figures.dayOne.size)
        writer.key("d7")
        writer.share(figures.daySeven.returned, of: figures.daySeven.size)
        writer.members("trend", figures.trend) { point, writer in
            writer.member("ts", atMs: point.startMs, in: snapshot.zone)
            writer.member("value", point.value)
        }
        writer.members("platforms", figures.platforms) { platform, writer in
            writer.member("platform", platform.platform)
            writer.member("active", platform.active)
            writer.key("share")
            writer.share(platform.active, of: figures.dau)
        }
        writer.writeFreshness(snapshot)
        writer.endObject()
    }
}
