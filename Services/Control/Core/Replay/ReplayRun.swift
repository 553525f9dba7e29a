import AggregatorCore
import Contracts
import JSON
import Kafka
import Postgres

/// What a replay came to.
struct ReplayTotals: Sendable {
    var messages = 0
    var events = 0
    var new = 0
    var setAside: [SetAsideReason: Int] = [:]

    mutating func note(setAside reasons: [SetAsideReason]) {
        for reason in reasons { setAside[reason, default: 0] += 1 }
    }
}

/// One replay under way.
struct ReplayRun {
    private let span: TopicSpan
    private let context: CommandContext
    private let isRehearsal: Bool
    private let parser = JSONParser()
    private let store: PatientStore
    private var rehearsal: Rehearsal?
    private(set) var totals = ReplayTotals()
    private static let messagesMax = 5_000
    private static let bytesMax = 16 << 20
    private static let reportEvery = Duration.seconds(2)
    private static let barWidth = 30

    init(_ span: TopicSpan, isRehearsal: Bool, _ context: CommandContext) {
        (self.span, self.isRehearsal, self.context) = (span, isRehearsal, context)
        store = PatientStore(context: context, topic: span.topic)
    }

    mutating func run(brokers: String) async throws {
        if isRehearsal { rehearsal = Rehearsal(connection: try await context.connect()) }
        var reader = try await SpanReader(span, brokers: brokers)
        var nextReport = ContinuousClock.now + Self.reportEvery
        do {
            while let messages = try await reader.next(
                messagesMax: Self.messagesMax,
                bytesMax: Self.bytesMax
            ) {
                try await take(messages.map { MessageDecoding.decode($0, with: parser) })
                guard ContinuousClock.now >= nextReport else { continue }
                context.progress(
                    Self.bar(done: reader.done, of: span.messages) + ", \(totals.new) new events"
                )
                nextReport = ContinuousClock.now + Self.reportEvery
            }
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
    }

    private mutating func take(_ messages: [DecodedMessage]) async throws {
        totals.messages += messages.count
        if rehearsal != nil {
            try await rehearsal?.take(messages, &totals)
            return
        }
        let outcome = try await store.store(messages)
        totals.events += outcome.events
        totals.new += outcome.new
        totals.note(setAside: outcome.setAside)
    }

    /// Such as ` 42 % [############..................] 4200 of 10000 messages`.
    static func bar(done: Int64, of total: Int64) -> String {
        let share = total == 0 ? 1 : Double(done) / Double(total)
        let full = Int(share * Double(barWidth))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: barWidth - full)
        let percent = String(Int(share * 100))
        let padding = String(repeating: " ", count: max(0, 3 - percent.count))
        return "\(padding)\(percent) % [\(bar)] \(done) of \(total) messages"
    }
}

/// Counts what a replay would add.
struct Rehearsal {
    private let connection: PostgresConnection
    private var unstored = UnstoredEvents()
    /// What was counted already: an event that comes twice in the span is one.
    private var counted: Set<UnstoredEvents.Identity> = []
    /// Beyond it an event that comes twice may count twice.
    private static let countedMax = 2_000_000

    init(connection: PostgresConnection) {
        self.connection = connection
    }

    mutating func take(_ messages: [DecodedMessage], _ totals: inout ReplayTotals) async throws {
        for identity in try await unstored.find(in: messages, connection) where !counted.contains(identity) {
            totals.new += 1
            if counted.count < Self.countedMax { counted.insert(identity) }
        }
        for message in messages {
            switch message.content {
            case .events(let content) where unstored.isOfKnownApp(content):
                totals.events += content.events.count
            case .events: totals.note(setAside: [.unknownApp])
            case .unusable(let reason, _): totals.note(setAside: [reason])
            }
        }
    }
}
