public import Contracts

extension UUID128 {
    public static func random() -> UUID128 {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> UUID128 {
        UUID128(high: generator.next(), low: generator.next())
    }

    /// A fixed id for a test that speaks of the first one and the second one.
    public static func fixed(_ number: UInt64) -> UUID128 { UUID128(high: 0xF1ED, low: number) }
}

extension EventMessage {
    /// A message that every rule accepts, with one thing changed.
    ///
    /// It was received one second after its latest event and has one production context.
    public static func valid(
        app: UUID128,
        install: UUID128 = .random(),
        _ events: [Event] = [.start()],
        _ change: (inout EventMessage) -> Void = { _ in }
    ) -> EventMessage {
        var message = EventMessage(
            appID: app,
            keyID: .fixed(1),
            installID: install,
            receivedAtMs: (events.map(\.eventTimeMs).max() ?? EventMessage.Event.defaultMs) + 1_000,
            contexts: [.valid()],
            events: events
        )
        change(&message)
        return message
    }
}

extension EventContext {
    public static func valid(_ change: (inout EventContext) -> Void = { _ in }) -> EventContext {
        var context = EventContext(environment: .production, platform: .ios)
        context.osName = "iOS"
        context.appVersion = "1.0"
        change(&context)
        return context
    }
}

extension EventMessage.Event {
    /// Noon of 14 October 2026, UTC.
    public static let defaultMs: Int64 = 1_791_979_200_000

    public static func start(
        at ms: Int64 = defaultMs,
        session: UUID128 = .random(),
        user: String? = nil,
        _ change: (inout EventMessage.Event) -> Void = { _ in }
    ) -> EventMessage.Event {
        var event = EventMessage.Event(
            insertID: .random(),
            name: .sessionStart,
            eventTimeMs: ms,
            clientTimeMs: ms,
            sessionID: session,
            userID: user
        )
        change(&event)
        return event
    }

    public static func end(
        at ms: Int64 = defaultMs + 60_000,
        session: UUID128 = .random(),
        durationMs: Int64 = 60_000,
        user: String? = nil,
        _ change: (inout EventMessage.Event) -> Void = { _ in }
    ) -> EventMessage.Event {
        var event = EventMessage.Event(
            insertID: .random(),
            name: .sessionEnd,
            eventTimeMs: ms,
            clientTimeMs: ms,
            sessionID: session,
            userID: user,
            durationMs: durationMs
        )
        change(&event)
        return event
    }
}
