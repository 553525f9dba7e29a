import Contracts
import JSON

/// Why one event is turned away, and by which of its fields.
struct EventFault: Error {
    let code: RejectionCode
    let field: String
    /// The field is the batch's, whose value the event would have taken.
    let isOfBatch: Bool

    init(_ code: RejectionCode, _ field: String, isOfBatch: Bool = false) {
        self.code = code
        self.field = field
        self.isOfBatch = isOfBatch
    }

    func path(index: Int) -> String {
        isOfBatch ? field : "events[\(index)].\(field)"
    }
}

/// The checks of single fields. `null` counts as absent everywhere.
extension BatchValidator {
    static func identifier(_ value: JSONValue?, _ field: String) throws(EventFault) -> UUID128 {
        guard let value, !value.isNull else { throw EventFault(.missingField, field) }
        guard let id = UUID128(utf8: value.utf8), id != .zero else { throw EventFault(.invalidField, field) }
        return id
    }

    static func name(_ value: JSONValue?) throws(EventFault) -> EventName {
        guard let value, !value.isNull else { throw EventFault(.missingField, "name") }
        guard value.isString else { throw EventFault(.invalidField, "name") }
        if value.utf8.isEqual(to: "session_start") { return .sessionStart }
        if value.utf8.isEqual(to: "session_end") { return .sessionEnd }
        throw EventFault(.unknownEventName, "name")
    }

    static func time(_ value: JSONValue?) throws(EventFault) -> Int64 {
        guard let value, !value.isNull else { throw EventFault(.missingField, "timestamp") }
        guard value.isString, let ms = RFC3339Parser.milliseconds(value.utf8) else {
            throw EventFault(.invalidField, "timestamp")
        }
        return ms
    }

    static func userID(_ value: JSONValue?) throws(EventFault) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let id = value.string else { throw EventFault(.invalidField, "user_id") }
        // The personal rule first: an address with stray blanks should be called what it is.
        if PersonalDataRule.resembles(value.utf8) { throw EventFault(.userIDLooksLikePII, "user_id") }
        guard TextRule.isClean(value.utf8), TextRule.scalars(in: value.utf8) <= EventLimits.userIDScalarsMax,
            !TextRule.isBlank(id)
        else { throw EventFault(.invalidField, "user_id") }
        return id
    }

    /// A start's duration means nothing and is ignored like an unknown field.
    static func duration(_ value: JSONValue?, of name: EventName) throws(EventFault) -> Int64? {
        guard name == .sessionEnd else { return nil }
        guard let value, !value.isNull else { throw EventFault(.durationRequired, "duration_ms") }
        guard let ms = value.int64, (0...EventLimits.durationMsMax).contains(ms) else {
            throw EventFault(.invalidField, "duration_ms")
        }
        return ms
    }
}
