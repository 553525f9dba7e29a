import JSON

/// The members of one event, found but not checked.
struct EventFields {
    var insertID: JSONValue?
    var name: JSONValue?
    var timestamp: JSONValue?
    var installID: JSONValue?
    var sessionID: JSONValue?
    var userID: JSONValue?
    var durationMs: JSONValue?
    var context: JSONValue?
    /// A name that occurs twice: readers differ in which one they believe, so the event is refused.
    var duplicate: String?

    /// - Parameter value: an object.
    init(_ value: JSONValue) {
        for (key, field) in value.members {
            if key.isEqual(to: "insert_id") {
                Self.set(&insertID, field, "insert_id", &duplicate)
            } else if key.isEqual(to: "name") {
                Self.set(&name, field, "name", &duplicate)
            } else if key.isEqual(to: "timestamp") {
                Self.set(&timestamp, field, "timestamp", &duplicate)
            } else if key.isEqual(to: "install_id") {
                Self.set(&installID, field, "install_id", &duplicate)
            } else if key.isEqual(to: "session_id") {
                Self.set(&sessionID, field, "session_id", &duplicate)
            } else if key.isEqual(to: "user_id") {
                Self.set(&userID, field, "user_id", &duplicate)
            } else if key.isEqual(to: "duration_ms") {
                Self.set(&durationMs, field, "duration_ms", &duplicate)
            } else if key.isEqual(to: "context") {
                Self.set(&context, field, "context", &duplicate)
            }
        }
    }

    private static func set(
        _ slot: inout JSONValue?,
        _ value: JSONValue,
        _ name: String,
        _ duplicate: inout String?
    ) {
        if slot != nil { duplicate = name }
        slot = value
    }
}
