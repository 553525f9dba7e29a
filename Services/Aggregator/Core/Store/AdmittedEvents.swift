import Calendar
import Contracts

/// The events of a batch that are to be stored, in the order they came, with their contexts taken apart.
struct AdmittedEvents: Sendable {
    struct Event: Sendable {
        let app: Int32
        let environment: Int16
        let install: UUID128
        let receivedAtMs: Int64
        /// Index into `contexts`.
        let context: Int
        /// Local day in the app's zone.
        let day: LocalDay
        /// The number of that zone.
        let zoneVersion: Int32
        let event: EventMessage.Event
    }

    struct Context: Sendable {
        let key: ContextKey
        let appID: UUID128
        /// UTC day on which its first message in this batch was received.
        let receivedOn: LocalDay
        let context: EventContext
    }

    private(set) var events: [Event] = []
    private(set) var contexts: [Context] = []
    /// Days of zones that apps are changing to.
    private(set) var pendingDays: Set<DayKey> = []
    private var contextIndex: [ContextKey: Int] = [:]

    /// - Parameter fingerprints: of the message's contexts.
    mutating func add(_ message: EventMessage, fingerprints: [UUID128], app: KnownApp) {
        let indices = message.contexts.indices.map { position in
            let key = ContextKey(app: app.number, fingerprint: fingerprints[position])
            return index(of: message.contexts[position], key: key, in: message)
        }
        for event in message.events {
            if let pending = app.pending {
                pendingDays.insert(
                    DayKey(
                        app: app.number,
                        environment: message.contexts[event.context].environment.code,
                        zoneVersion: pending.version,
                        day: pending.zone.day(ofMs: event.eventTimeMs)
                    )
                )
            }
            events.append(
                Event(
                    app: app.number,
                    environment: message.contexts[event.context].environment.code,
                    install: message.installID,
                    receivedAtMs: message.receivedAtMs,
                    context: indices[event.context],
                    day: app.zone.day(ofMs: event.eventTimeMs),
                    zoneVersion: app.zoneVersion,
                    event: event
                )
            )
        }
    }

    /// Takes events out, by their positions.
    mutating func remove(_ positions: Set<Int>) {
        guard !positions.isEmpty else { return }
        events = events.indices.filter { !positions.contains($0) }.map { events[$0] }
    }

    private mutating func index(of context: EventContext, key: ContextKey, in message: EventMessage) -> Int {
        if let index = contextIndex[key] { return index }
        contextIndex[key] = contexts.count
        contexts.append(
            Context(
                key: key,
                appID: message.appID,
                receivedOn: LocalZone.utc.day(ofMs: message.receivedAtMs),
                context: context
            )
        )
        return contexts.count - 1
    }

    func dayKey(at position: Int) -> DayKey {
        DayKey(
            app: events[position].app,
            environment: events[position].environment,
            zoneVersion: events[position].zoneVersion,
            day: events[position].day
        )
    }

    /// Where a copy of these events could have been stored before.
    ///
    /// A client's retry is corrected by another difference of clocks, so its time may differ from the first copy's. Both lie within the
    /// late window of their own receipt; twice the window also covers a client that waited as long as it may. Whole months, because an id
    /// is unique in its month: whatever an insert could meet there has to be found before.
    var searchRange: Range<Int64> {
        guard !events.isEmpty else { return 0..<0 }
        var (first, last) = (Int64.max, Int64.min)
        for admitted in events {
            first = min(first, admitted.event.eventTimeMs, admitted.receivedAtMs - 2 * EventLimits.ageMsMax)
            last = max(last, admitted.event.eventTimeMs, admitted.receivedAtMs + 2 * EventLimits.aheadMsMax)
        }
        let utc = LocalZone.utc
        let afterLast = utc.day(ofMs: last).firstOfMonth.advanced(by: 31).firstOfMonth
        return utc.bounds(of: utc.day(ofMs: first).firstOfMonth)
            .lowerBound..<utc.bounds(of: afterLast).lowerBound
    }
}
