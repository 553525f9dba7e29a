import AggregatorCore
import Calendar
import Contracts
import ServiceKit
import TestSupport

/// Random messages that look for trouble: sessions over midnight, late and repeated messages, equal moments, lost starts, ends far away, ids
/// used again, sign-ins, several accounts on one install, people of several platforms, contexts with and without each value.
struct RandomWorld {
    static let zones = [
        ("Europe/Berlin", "2026-03-26"), ("America/New_York", "2026-10-29"), ("Africa/Cairo", "2026-04-21"),
        ("Asia/Kolkata", "2026-10-01"), ("America/Santiago", "2026-09-03"), ("UTC", "2027-12-29"),
        ("Asia/Beirut", "2026-10-21"), ("Asia/Kathmandu", "2026-11-24"),
    ]

    static let dayCount = 8

    let days: Int
    let zone: LocalZone
    let firstDay: LocalDay
    let messages: [EventMessage]
    /// For what a test asks about the world.
    let random: SplitMix64

    init(
        seed: UInt64,
        app: UUID128,
        zone: LocalZone,
        firstDay: LocalDay,
        days: Int = dayCount,
        sessions: Int = 90
    ) {
        self.zone = zone
        self.days = days
        self.firstDay = firstDay
        var random = SplitMix64(seed: seed)
        var messages: [EventMessage] = []
        for _ in 0..<sessions {
            messages += Self.session(app, zone, firstDay, days, using: &random)
        }
        // Some come twice, and all in any order.
        messages += messages.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
        self.messages = messages.shuffled(using: &random)
        self.random = random
    }

    private static func session(
        _ app: UUID128,
        _ zone: LocalZone,
        _ firstDay: LocalDay,
        _ days: Int,
        using random: inout SplitMix64
    ) -> [EventMessage] {
        let id = UUID128.random(using: &random)
        let install = UInt64.random(in: 1...14, using: &random)
        let user = user(using: &random)
        let context = context(using: &random)
        let startMs = moment(zone, firstDay, days, using: &random)
        var messages: [EventMessage] = []
        func add(_ name: EventName, _ ms: Int64, _ durationMs: Int64? = nil, _ random: inout SplitMix64) {
            let isOdd = Int.random(in: 0..<7, using: &random) == 0
            let event = EventMessage.Event(
                insertID: .random(using: &random),
                name: name,
                eventTimeMs: ms,
                clientTimeMs: ms,
                sessionID: id,
                userID: isOdd ? Self.user(using: &random) : user,
                durationMs: durationMs
            )
            let from = isOdd ? UInt64.random(in: 1...14, using: &random) : install
            var own = Int.random(in: 0..<4, using: &random) == 0 ? Self.context(using: &random) : context
            own.environment = context.environment
            messages.append(.valid(app: app, install: .fixed(from), [event]) { $0.contexts = [own] })
        }
        if Int.random(in: 0..<10, using: &random) > 0 { add(.sessionStart, startMs, nil, &random) }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let spans: [Double] = [0, 0.1, 3, 11, 24.5, 25, 26]
            let hours = spans.randomElement(using: &random) ?? 0
            let jitterMs = Int64.random(in: -400_000...400_000, using: &random)
            let endMs = startMs + Int64(hours * Double(Span.hourMs)) + jitterMs
            add(.sessionEnd, endMs, .random(in: 0...86_400_000, using: &random), &random)
        }
        if Int.random(in: 0..<5, using: &random) == 0 {
            add(.sessionStart, startMs + .random(in: -30...55, using: &random) * Span.hourMs, nil, &random)
        }
        return messages
    }

    private static func user(using random: inout SplitMix64) -> String? {
        let number = Int.random(in: 0...9, using: &random)
        return number < 5 ? nil : "user \(number)"
    }

    private static func context(using random: inout SplitMix64) -> EventContext {
        var context = EventContext(
            environment: Int.random(in: 0..<6, using: &random) == 0 ? .development : .production,
            platform: [.ios, .android, .web].randomElement(using: &random) ?? .other
        )
        func some(_ values: [String], _ random: inout SplitMix64) -> String? {
            Int.random(in: 0..<4, using: &random) == 0 ? nil : values.randomElement(using: &random)
        }
        context.appVersion = some(["1.0", "2.0"], &random)
        context.osName = some(["iOS", "Android"], &random)
        context.country = some(["DE", "US", "BR"], &random)
        // Each further value would make almost every context the only one of its kind.
        switch Int.random(in: 0..<6, using: &random) {
        case 0: context.osVersion = "26.0"
        case 1: context.deviceModel = "iPhone14,5"
        case 2: context.deviceModel = "O'Neil \"x\" \\"
        case 3: context.city = "São Paulo"
        case 4: context.locale = "pt-BR"
        default: context.deviceType = .tablet
        }
        return context
    }

    /// Often near a midnight, and often exactly where something else happens.
    private static func moment(
        _ zone: LocalZone,
        _ firstDay: LocalDay,
        _ days: Int,
        using random: inout SplitMix64
    ) -> Int64 {
        let day = firstDay.advanced(by: .random(in: 0..<days, using: &random))
        let midnight = zone.bounds(of: day).lowerBound
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return midnight + .random(in: -3...3, using: &random) * Span.minuteMs
        case 1: return midnight + .random(in: 0...23, using: &random) * Span.hourMs
        default: return midnight + .random(in: 0..<Span.dayMs, using: &random)
        }
    }
}
