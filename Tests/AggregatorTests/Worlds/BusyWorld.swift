import AggregatorCore
import Calendar
import Contracts
import ServiceKit
import TestSupport
import Testing

/// The traffic of two apps of a few hundred installs: sign-ins, several accounts on an install, late events, second copies that tell other
/// times, two environments.
///
/// Some people and installs are in both apps; nobody of those is ever erased, because what an app's ledger says of them would be another
/// question after the merge.
struct BusyWorld {
    static let shared: Int32 = 10
    let zone: LocalZone
    let firstDay: LocalDay
    private(set) var target: [EventMessage]
    private(set) var source: [EventMessage]

    init(seed: UInt64, zone: String, target: TestApp, source: TestApp, using random: inout SplitMix64) throws
    {
        self.zone = try LocalZone(named: zone)
        // The end of summer time in the north, or its begin.
        firstDay = try #require(LocalDay(seed % 2 == 0 ? "2022-10-24" : "2023-03-20"))
        self.target = []
        self.source = []
        self.target = messages(seed, of: target, sessions: 420, installs: 180, users: 60, offset: 0, &random)
        self.source = messages(
            seed &+ 7_919,
            of: source,
            sessions: 240,
            installs: 100,
            users: 40,
            offset: 1_000,
            &random
        )
    }

    private func messages(
        _ seed: UInt64,
        of app: TestApp,
        sessions: Int,
        installs: Int32,
        users: Int32,
        offset: Int32,
        _ random: inout SplitMix64
    ) -> [EventMessage] {
        let world = SessionWorld(
            seed: seed,
            zone: zone,
            firstDay: firstDay,
            sessions: sessions,
            installs: installs,
            users: users
        )
        var messages: [EventMessage] = []
        for event in world.events {
            var message = Self.message(event, of: app, offset: offset, &random)
            // Another app's sessions are others, and so are its insert ids.
            message.events[0].sessionID = Self.own(message.events[0].sessionID, offset)
            message.events[0].insertID = Self.own(message.events[0].insertID, offset)
            messages.append(message)
            guard Int.random(in: 0..<12, using: &random) == 0 else { continue }
            // A retry that was corrected by another difference of clocks.
            message.events[0].eventTimeMs += .random(in: -30_000...30_000, using: &random)
            messages.append(message)
        }
        return messages
    }

    private static func message(
        _ event: StoredEvent,
        of app: TestApp,
        offset: Int32,
        _ random: inout SplitMix64
    ) -> EventMessage {
        let name = event.user == 0 ? nil : userName(event.user, offset)
        let change = { (new: inout EventMessage.Event) in new.insertID = event.insertID }
        let new: EventMessage.Event =
            event.isStart
            ? .start(at: event.timeMs, session: event.sessionID, user: name, change)
            : .end(
                at: event.timeMs,
                session: event.sessionID,
                durationMs: Int64(event.durationMs),
                user: name,
                change
            )
        let lateMs = Int64.random(in: 0...6 * Span.dayMs, using: &random)
        let environment: AppEnvironment = event.install % 5 == 0 ? .development : .production
        return .valid(app: app.id, install: .fixed(UInt64(own(event.install, offset))), [new]) {
            $0.contexts = [
                .valid {
                    $0.appVersion = "\(event.context)"
                    $0.environment = environment
                }
            ]
            $0.receivedAtMs = event.timeMs + 1_000 + lateMs
        }
    }

    private static func own(_ id: UUID128, _ offset: Int32) -> UUID128 {
        UUID128(high: id.high ^ UInt64(offset), low: id.low)
    }

    private static func own(_ number: Int32, _ offset: Int32) -> Int32 {
        number <= shared ? number : number + offset
    }

    /// A name that is no part of another one.
    static func userName(_ number: Int32, _ offset: Int32 = 0) -> String { "<person \(own(number, offset))>" }

    /// Whom an app may be asked to erase: people and installs that occur in it and not in the other.
    static func subjects(of messages: [EventMessage], users: Int, installs: Int, _ random: inout SplitMix64)
        -> [DeletionSubject]
    {
        let shared = Set((1...Self.shared).map { userName($0) })
        let names = Set(messages.flatMap(\.events).compactMap(\.userID)).subtracting(shared).sorted()
        let ids = Set(messages.map(\.installID)).filter { $0.low > UInt64(Self.shared) }.sorted()
        return names.shuffled(using: &random).prefix(users).compactMap { DeletionSubject(.user, $0) }
            + ids.shuffled(using: &random).prefix(installs).compactMap {
                DeletionSubject(.install, $0.description)
            }
    }
}
