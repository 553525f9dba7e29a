import Contracts
public import Postgres
public import Schema

/// An app's zone, and where it is going.
public struct AppZoneState: Sendable, Equatable {
    public var timezone: String
    /// The change that is under way.
    public var change: OpenZoneChange?
}

/// Previews and makes changes of an app's zone, as fgctl and the console do; `ZoneChanges` does the work.
public enum AppZones {
    public static func state(of app: AppSummary, _ connection: isolated PostgresConnection) throws
        -> AppZoneState
    {
        AppZoneState(timezone: app.timezone, change: try ZoneChanges.open(app.number, connection))
    }

    /// What a change would build; nothing for the zone the app has.
    ///
    /// - Throws: `ControlProblem.invalid` for an unknown zone; `PostgresError`.
    public static func preview(
        _ app: AppSummary,
        timezone: String,
        _ connection: isolated PostgresConnection
    ) throws -> ZonePreview {
        let zone = try AppRules.timezone(timezone)
        guard zone != app.timezone else { return ZonePreview(days: 0) }
        return try ZoneChanges.preview(app: app.number, timezone: zone, connection)
    }

    /// Starts a change, or calls the open one off when it is asked for the zone the app has.
    ///
    /// - Parameter replacesOpen: whether a change to a third zone takes the place of the one under way; otherwise that one stands in the way.
    /// - Throws: `ControlProblem`; `PostgresError`. After it the caller's transaction must not be committed.
    public static func change(
        _ app: AppSummary,
        to timezone: String,
        replacesOpen: Bool,
        _ connection: isolated PostgresConnection
    ) throws -> ZoneChanges.Outcome {
        let zone = try AppRules.timezone(timezone)
        // Looked at behind the barrier, which everything that rewrites an app's rows takes.
        try StoreBarrier.close(connection)
        let app = try AppCatalogue.find(app.id, connection)
        let isChanging = try connection.first("SELECT app_is_changing(\(app.number)) LIMIT 1") {
            try $0.bool(0)
        }
        guard isChanging != true else {
            throw ControlProblem.conflict("another app is being merged into this one: wait until it is done")
        }
        if !replacesOpen, let open = try ZoneChanges.open(app.number, connection) {
            // Asked for twice: going on is what was wanted.
            guard open.timezone != zone else { return .started(open) }
            guard zone == app.timezone else {
                throw ControlProblem.conflict(
                    "the change to \(open.timezone) is under way: wait until it is done, or ask for \(app.timezone) to call it off"
                )
            }
        }
        return try ZoneChanges.request(app: app.number, timezone: zone, connection)
    }
}
