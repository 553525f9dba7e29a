import Calendar
import Contracts
import Postgres

/// A batch laid out for the staging tables.
struct StagedEvents {
    struct Event {
        let app: Int32
        let environment: Int16
        let install: UUID128
        let receivedAtMs: Int64
        let fingerprint: UUID128
        let day: LocalDay
        let event: EventMessage.Event
    }

    private(set) var events: [Event] = []
    private(set) var contexts: [ContextKey: EventContext] = [:]
    /// Days of zones that apps are changing to.
    private(set) var pendingDays: Set<DayKey> = []

    struct ContextKey: Hashable {
        let app: Int32
        let fingerprint: UUID128
    }

    mutating func add(_ message: EventMessage, app: KnownApp) {
        let fingerprints = message.contexts.map(\.fingerprint)
        for (context, fingerprint) in zip(message.contexts, fingerprints) {
            contexts[ContextKey(app: app.number, fingerprint: fingerprint)] = context
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
                    fingerprint: fingerprints[event.context],
                    day: app.zone.day(ofMs: event.eventTimeMs),
                    event: event
                )
            )
        }
    }

    /// Takes events out, by their positions, and the contexts that no other event has.
    mutating func remove(_ positions: Set<Int>) {
        guard !positions.isEmpty else { return }
        events = events.indices.filter { !positions.contains($0) }.map { events[$0] }
        let used = Set(events.map { ContextKey(app: $0.app, fingerprint: $0.fingerprint) })
        contexts = contexts.filter { used.contains($0.key) }
    }

    /// Where a copy of these events could have been stored before.
    ///
    /// A client's retry is corrected by another difference of clocks, so its time may differ from the first copy's. Both lie within the
    /// late window of their own receipt; twice the window also covers a client that waited as long as it may. Whole months, because an id
    /// is unique in its month: whatever an insert could meet there has to be found before.
    var searchRange: Range<Int64> {
        guard !events.isEmpty else { return 0..<0 }
        var (first, last) = (Int64.max, Int64.min)
        for staged in events {
            first = min(first, staged.event.eventTimeMs, staged.receivedAtMs - 2 * EventLimits.ageMsMax)
            last = max(last, staged.event.eventTimeMs, staged.receivedAtMs + 2 * EventLimits.aheadMsMax)
        }
        let utc = LocalZone.utc
        let afterLast = utc.day(ofMs: last).firstOfMonth.advanced(by: 31).firstOfMonth
        return utc.bounds(of: utc.day(ofMs: first).firstOfMonth)
            .lowerBound..<utc.bounds(of: afterLast).lowerBound
    }

    func copy(to connection: isolated PostgresConnection) throws {
        _ = try connection.copyIn("COPY staged_contexts FROM STDIN (FORMAT binary)") { writer in
            for (key, context) in contexts {
                writer.startRow(columns: 12)
                writer.int32(key.app)
                writer.uuid(high: key.fingerprint.high, low: key.fingerprint.low)
                for value in context.dimensions {
                    if let value { writer.text(value) } else { writer.null() }
                }
            }
        }
        _ = try connection.copyIn("COPY staged FROM STDIN (FORMAT binary)") { writer in
            for (sequence, staged) in events.enumerated() {
                Self.write(staged, sequence: sequence, to: &writer)
            }
        }
    }

    private static func write(_ staged: Event, sequence: Int, to writer: inout BinaryCopyWriter) {
        let event = staged.event
        writer.startRow(columns: 14)
        writer.int32(Int32(truncatingIfNeeded: sequence))
        writer.int32(staged.app)
        writer.int16(staged.environment)
        writer.int16(event.name.code)
        writer.timestamp(msSinceEpoch: event.eventTimeMs)
        writer.timestamp(msSinceEpoch: staged.receivedAtMs)
        writer.timestamp(msSinceEpoch: event.clientTimeMs)
        writer.uuid(high: event.insertID.high, low: event.insertID.low)
        writer.uuid(high: event.sessionID.high, low: event.sessionID.low)
        writer.uuid(high: staged.install.high, low: staged.install.low)
        if let userID = event.userID { writer.text(userID) } else { writer.null() }
        if let durationMs = event.durationMs {
            writer.int32(Int32(truncatingIfNeeded: durationMs))
        } else {
            writer.null()
        }
        writer.uuid(high: staged.fingerprint.high, low: staged.fingerprint.low)
        writer.date(daysSinceEpoch: staged.day.number)
    }
}
