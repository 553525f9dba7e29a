import Contracts
import ServiceKit
import Wire

/// Invented traffic of one app: the same seed gives the same events.
///
/// Sessions follow each other over the days, each of a random install of many; a third of the installs is signed in, some events come late,
/// each message carries one to three sessions of its install, and now and then two contexts.
struct Backlog {
    struct Shape {
        var events: Int
        var installs: Int
        var contexts = 200
        var days: Int

        init(events: Int) {
            self.events = events
            installs = max(120_000, events / 20)
            days = max(1, events / 1_000_000)
        }
    }

    /// One message with the positions its ids had in the pools, as rows of a table need them.
    struct Item {
        var message: EventMessage
        var install: Int32
        var user: Int32?
        var contexts: [Int32]
    }

    let shape: Shape
    let app: UUID128
    private var random: SplitMix64
    private let contexts: [EventContext]
    private var made = 0
    private var end: Int
    /// 2 October 2026, UTC: near enough to the month's first day that late events fall into the month before.
    static let firstMs: Int64 = 1_790_899_200_000
    private static let dayMs: Int64 = 86_400_000

    init(shape: Shape, app: UUID128, seed: UInt64 = 1) {
        self.shape = shape
        self.app = app
        random = SplitMix64(seed: seed)
        end = shape.events
        contexts = (0..<shape.contexts).map(Self.context)
    }

    /// The next messages as a backlog of their own; this one goes on after them.
    mutating func take(messages: Int) -> Backlog? {
        var part = self
        for _ in 0..<messages where next() == nil { break }
        guard made > part.made else { return nil }
        part.end = made
        return part
    }

    /// Nil when all events are made.
    mutating func next() -> Item? {
        guard made < end else { return nil }
        let sessions = min(Int.random(in: 1...3, using: &random), max(1, (shape.events - made) / 2))
        let install = Int32.random(in: 1...Int32(shape.installs), using: &random)
        let user = install % 3 == 0 ? install / 3 : nil
        var nowMs = Self.firstMs + Int64(shape.days) * Self.dayMs * Int64(made) / Int64(shape.events)
        let receivedAtMs = nowMs + .random(in: 500...20_000, using: &random)
        if Int.random(in: 0..<50, using: &random) == 0 {
            nowMs -= .random(in: 0...3 * Self.dayMs, using: &random)
        }
        var events: [EventMessage.Event] = []
        for session in 0..<sessions {
            let durationMs = Int64.random(in: 1_000...1_200_000, using: &random)
            let startMs = nowMs - durationMs - Int64(sessions - session - 1) * 1_800_000
            events += self.session(at: startMs, durationMs: durationMs, user: user)
        }
        made += events.count
        var chosen = [Int32(install) % Int32(shape.contexts)]
        if install % 10 == 0 {
            chosen.append((chosen[0] + 1) % Int32(shape.contexts))
            events[events.count - 1].context = 1
        }
        let message = EventMessage(
            appID: app,
            keyID: UUID128(high: 1, low: 1),
            installID: UUID128(high: 0xBE7C, low: UInt64(install) &* 0x9E37_79B9_7F4A_7C15),
            receivedAtMs: receivedAtMs,
            contexts: chosen.map { contexts[Int($0)] },
            events: events
        )
        return Item(message: message, install: install, user: user, contexts: chosen)
    }

    /// The rest, encoded for the topic.
    var payloads: [[UInt8]] {
        var rest = self
        var payloads: [[UInt8]] = []
        while let item = rest.next() { payloads.append(EventMessageCodec.encode(item.message)) }
        return payloads
    }

    private mutating func session(
        at startMs: Int64,
        durationMs: Int64,
        user: Int32?
    ) -> [EventMessage.Event] {
        let session = UUID128(high: random.next(), low: random.next())
        var start = EventMessage.Event(
            insertID: UUID128(high: random.next(), low: random.next()),
            name: .sessionStart,
            eventTimeMs: startMs,
            clientTimeMs: startMs,
            sessionID: session,
            userID: user.map { "user-\($0)" }
        )
        let first = start
        start.insertID = UUID128(high: random.next(), low: random.next())
        start.name = .sessionEnd
        start.eventTimeMs = startMs + durationMs
        start.clientTimeMs = startMs + durationMs
        start.durationMs = durationMs
        return [first, start]
    }

    private static func context(_ number: Int) -> EventContext {
        var context = EventContext(environment: .production, platform: number % 2 == 0 ? .ios : .android)
        context.osName = number % 2 == 0 ? "iOS" : "Android"
        context.osVersion = "\(10 + number % 9).\(number % 4)"
        context.appVersion = "4.\(number % 20).0"
        context.appBuild = "\(4_000 + number % 20)"
        context.deviceModel = "Model \(number % 40)"
        context.deviceType = number % 7 == 0 ? .tablet : .phone
        context.locale = ["de-DE", "en-US", "fr-FR", "ja-JP"][number % 4]
        context.country = ["DE", "US", "FR", "JP"][number % 4]
        context.city = "City \(number)"
        return context
    }
}
