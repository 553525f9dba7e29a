import Calendar
import Contracts
import ControlPlane
import JSON
import Postgres
import Schema

/// The command `fgctl app timezone`.
enum TimezoneCommand {
    static let spec = CommandSpec(
        words: ["app", "timezone"],
        summary: "Change the zone that sets an app's day boundaries",
        details: """
            All days are built anew beside the present ones by the aggregators; reports stay in the old zone until all of them are there, and \
            then switch at once. Asking for another zone meanwhile begins anew, asking for the present one calls the change off. Changing \
            back later gives the same numbers as before.
            """,
        options: [
            .value("app", "APP_ID", required: true, "the app"),
            .value("timezone", "ZONE", required: true, "the new zone, such as Europe/Berlin"),
            .flag("dry-run", "only say how many days would be built"),
            .flag("wait", "return when reports have switched"),
        ]
    ) { arguments, context in
        let id = try Arguments.appID(arguments.first("app"))
        let timezone = arguments.first("timezone") ?? ""
        guard (try? LocalZone(named: timezone)) != nil else {
            throw CommandFailure.usage(
                "--timezone '\(timezone)' is not a zone of this machine's tzdata, such as Europe/Berlin"
            )
        }
        let connection = try await context.connect()
        let app = try await app(id, connection)
        if arguments.has("dry-run") {
            let days = try await connection.perform {
                try AppZones.preview(app, timezone: timezone, $0).days
            }
            await connection.close()
            return result("dry_run", days: days, "\(days) days would be built\n")
        }
        let outcome = try await connection.transaction {
            try AppZones.change(app, to: timezone, replacesOpen: true, $0)
        }
        guard case .started(let change) = outcome else {
            await connection.close()
            return result("unchanged", days: 0, "\(timezone) is the zone already\n")
        }
        if arguments.has("wait") { try await wait(for: change, context, connection) }
        await connection.close()
        let hasWaited = arguments.has("wait")
        return result(
            hasWaited ? "done" : "started",
            days: change.daysTotal,
            hasWaited
                ? "\(change.daysTotal) days built, reports are in \(timezone)\n"
                : "\(change.daysTotal) days to build; the aggregators are at it\n"
        )
    }

    private static func app(_ id: UUID128, _ connection: PostgresConnection) async throws -> AppSummary {
        try await PlainRefusals.naming(app: id) {
            try await connection.perform { try AppCatalogue.find(id, $0) }
        }
    }

    private static let lookMs = 500

    /// Until the change is no longer open; aggregators do the work.
    private static func wait(
        for change: OpenZoneChange,
        _ context: CommandContext,
        _ connection: PostgresConnection
    ) async throws {
        var reported = -1
        while let open = try await connection.perform({ try ZoneChanges.open(change.app, $0) }) {
            guard open.zoneVersion == change.zoneVersion else {
                throw CommandFailure("another change of zone has taken the place of this one")
            }
            if open.daysDone != reported {
                context.progress("\(open.daysDone) of \(open.daysTotal) days built")
                reported = open.daysDone
            }
            try await Task.sleep(for: .milliseconds(lookMs))
        }
        let zone = try await connection.first(
            "SELECT zone_version FROM apps WHERE app_no = \(change.app) LIMIT 1"
        ) { try $0.int32(0) }
        guard zone == change.zoneVersion else { throw CommandFailure("the change was called off") }
    }

    private static func result(_ status: String, days: Int, _ text: String) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("status")
        writer.string(status)
        writer.key("days")
        writer.int(days)
        writer.endObject()
        return CommandResult(text: text, json: writer.bytes)
    }
}
