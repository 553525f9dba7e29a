import Calendar
import ControlPlane
import JSON
import Schema

extension JSONWriter {
    mutating func member(_ name: String, _ value: Int) {
        key(name)
        int(value)
    }

    mutating func write(_ state: AppZoneState, _ preview: (timezone: String, days: ZonePreview)?) {
        member("timezone", state.timezone)
        key("change")
        if let change = state.change {
            beginObject()
            member("timezone", change.timezone)
            member("started_at", timeMs: change.startedAtMs)
            member("days_done", change.daysDone)
            member("days_total", change.daysTotal)
            // A day that cannot be built is tried again, and named in the aggregator's log.
            member("error", nil as String?)
            endObject()
        } else {
            null()
        }
        key("preview")
        if let preview {
            beginObject()
            member("timezone", preview.timezone)
            member("days", preview.days.days)
            member("first_day", preview.days.first?.description)
            member("last_day", preview.days.last?.description)
            endObject()
        } else {
            null()
        }
    }

    mutating func write(_ plan: MergePlan) {
        key("source")
        beginObject()
        member("id", plan.source.id)
        member("name", plan.source.name)
        endObject()
        member("events", plan.events)
        member("installs", plan.installs)
        member("users", plan.users)
        member("shared_users", plan.sharedUsers)
        member("days", plan.days)
        member("frozen_days", plan.frozenDays)
        member("write_keys", plan.writeKeys)
        member("api_keys_revoked", plan.apiKeysRevoked)
    }

    mutating func write(_ change: RunningAppChange) {
        member("app_id", change.appID)
        member("app_name", change.appName)
        member("kind", change.kind.rawValue)
        member("target_app_id", change.targetID)
        member("started_at", timeMs: change.startedAtMs)
        key("rows_done")
        int64(change.rowsDone)
        member("error", change.error)
    }

    mutating func write(_ day: DayRevision) {
        member("day", day.day.description)
        member("revision", day.revision)
        member("cause", day.cause)
        member("closed_at", timeMs: day.closedAtMs)
    }
}
