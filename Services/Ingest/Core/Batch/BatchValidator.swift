import Contracts
import JSON

/// Decides what becomes of each event of a batch, without any input or output.
///
/// One bad event never costs its neighbours. The first failed check gives the event its one reason; the order is that of the
/// documentation: required fields, their form, the name, the clock, the user, the duration, the context.
struct BatchValidator {
    private let key: RegisteredKey
    private let receivedAtMs: Int64
    private let head: BatchHead
    private let resolver: ContextResolver

    private var verdict = BatchVerdict()
    private var seen: Set<UUID128> = []
    /// Filled once there are more contexts than are worth comparing one by one.
    private var contextIndex: [ResolvedContext: Int] = [:]
    private static let comparedMax = 8
    /// Outcome for events without a context of their own: nearly all, so it is worked out once.
    private var sharedContext: Result<Int, InvalidContext>?

    private init(_ head: BatchHead, key: RegisteredKey, receivedAtMs: Int64) {
        self.head = head
        self.key = key
        self.receivedAtMs = receivedAtMs
        resolver = ContextResolver(key: key)
        verdict.accepted.reserveCapacity(head.eventCount)
    }

    static func validate(_ head: BatchHead, key: RegisteredKey, receivedAtMs: Int64) -> BatchVerdict {
        var validator = BatchValidator(head, key: key, receivedAtMs: receivedAtMs)
        var index = 0
        for value in head.events.elements {
            validator.judge(value, at: index)
            index += 1
        }
        assert(validator.verdict.acceptedCount + validator.verdict.rejected.count == index)
        return validator.verdict
    }

    private mutating func judge(_ value: JSONValue, at index: Int) {
        guard value.isObject else {
            verdict.rejected.append(
                rejection(nil, index: index, code: .invalidField, field: "events[\(index)]")
            )
            return
        }
        let fields = EventFields(value)
        do throws(EventFault) {
            try accept(fields, at: index)
        } catch {
            verdict.rejected.append(
                rejection(fields, index: index, code: error.code, field: error.path(index: index))
            )
        }
    }

    /// A batch of one event has no copies to look for.
    private mutating func isFirst(_ insertID: UUID128) -> Bool {
        head.eventCount == 1 || seen.insert(insertID).inserted
    }

    private func rejection(_ fields: EventFields?, index: Int, code: RejectionCode, field: String)
        -> RejectedEvent
    {
        var partial = head.context
        if let own = fields?.context, own.isObject { partial = partial.overridden(by: PartialContext(own)) }
        return RejectedEvent(
            index: index,
            insertID: fields?.insertID.flatMap { UUID128(utf8: $0.utf8) },
            code: code,
            field: field,
            platform: partial.platform.value ?? key.platform ?? key.app.onlyPlatform,
            appVersion: partial.appVersion.value
        )
    }

    private mutating func accept(_ fields: EventFields, at index: Int) throws(EventFault) {
        if let duplicate = fields.duplicate { throw EventFault(.invalidField, duplicate) }
        let insertID = try Self.identifier(fields.insertID, "insert_id")
        let name = try Self.name(fields.name)
        let clientTimeMs = try Self.time(fields.timestamp)
        let installID = try Self.identifier(fields.installID, "install_id")
        let sessionID = try Self.identifier(fields.sessionID, "session_id")
        let (eventTimeMs, isClamped) = try eventTime(clientTimeMs)
        let userID = try Self.userID(fields.userID)
        let durationMs = try Self.duration(fields.durationMs, of: name)
        let context = try contextIndex(for: fields.context)

        guard isFirst(insertID) else {
            verdict.duplicates += 1
            verdict.warnings.append(
                EventWarning(index: index, insertID: insertID, code: .duplicateInsertIDInBatch)
            )
            return
        }
        var warnings = verdict.contexts[context].warnings
        if isClamped { warnings.insert(.timestampInFutureClamped, at: 0) }
        for code in warnings {
            verdict.warnings.append(EventWarning(index: index, insertID: insertID, code: code))
        }
        let event = EventMessage.Event(
            insertID: insertID,
            name: name,
            eventTimeMs: eventTimeMs,
            clientTimeMs: clientTimeMs,
            sessionID: sessionID,
            userID: userID,
            durationMs: durationMs,
            context: context,
            warnings: warnings
        )
        verdict.accepted.append(AcceptedEvent(index: index, installID: installID, event: event))
    }

    /// `received_at + (timestamp − sent_at)`: the difference of the device's two readings is right even if its clock is wrong.
    ///
    /// Both readings lie in years 0 to 9999, so the arithmetic cannot overflow.
    private func eventTime(_ clientTimeMs: Int64) throws(EventFault) -> (ms: Int64, isClamped: Bool) {
        let eventTimeMs = receivedAtMs + (clientTimeMs - head.sentAtMs)
        if eventTimeMs - receivedAtMs > EventLimits.aheadMsMax { return (receivedAtMs, true) }
        guard receivedAtMs - eventTimeMs <= EventLimits.ageMsMax else {
            throw EventFault(.eventTooOld, "timestamp")
        }
        return (eventTimeMs, false)
    }

    private mutating func contextIndex(for value: JSONValue?) throws(EventFault) -> Int {
        guard let value, !value.isNull else {
            let outcome = sharedContext ?? register(head.context, own: nil)
            sharedContext = outcome
            return try Self.index(outcome)
        }
        guard value.isObject else { throw EventFault(.invalidField, "context") }
        let own = PartialContext(value)
        return try Self.index(register(head.context.overridden(by: own), own: own))
    }

    private static func index(_ outcome: Result<Int, InvalidContext>) throws(EventFault) -> Int {
        switch outcome {
        case .success(let index): return index
        case .failure(let invalid):
            throw EventFault(.invalidField, invalid.field, isOfBatch: invalid.isOfBatch)
        }
    }

    /// A batch with many contexts of its own must not be compared pair by pair.
    private mutating func index(of resolved: ResolvedContext) -> Int {
        if verdict.contexts.count < Self.comparedMax {
            if let known = verdict.contexts.firstIndex(of: resolved) { return known }
        } else {
            if contextIndex.isEmpty {
                for (index, context) in verdict.contexts.enumerated() { contextIndex[context] = index }
            }
            if let known = contextIndex[resolved] { return known }
            contextIndex[resolved] = verdict.contexts.count
        }
        verdict.contexts.append(resolved)
        return verdict.contexts.count - 1
    }

    private mutating func register(_ partial: PartialContext, own: PartialContext?) -> Result<
        Int, InvalidContext
    > {
        if head.context.hasDuplicate { return .failure(InvalidContext(field: "context", isOfBatch: true)) }
        if own?.hasDuplicate == true { return .failure(InvalidContext(field: "context", isOfBatch: false)) }
        switch resolver.resolve(partial) {
        case .invalid(let field):
            let isOfBatch = own.map { !$0.isInvalid(field) } ?? true
            return .failure(InvalidContext(field: "context.\(field)", isOfBatch: isOfBatch))
        case .resolved(let resolved):
            return .success(index(of: resolved))
        }
    }
}

/// The context of a batch or event cannot be used.
struct InvalidContext: Error {
    let field: String
    let isOfBatch: Bool
}

extension PartialContext {
    fileprivate func isInvalid(_ field: String) -> Bool {
        switch field {
        case "platform": platform == .invalid
        case "environment": environment == .invalid
        case "device_type": deviceType == .invalid
        case "os_name": osName == .invalid
        case "os_version": osVersion == .invalid
        case "app_version": appVersion == .invalid
        case "app_build": appBuild == .invalid
        case "device_model": deviceModel == .invalid
        case "locale": locale == .invalid
        default: false
        }
    }
}
