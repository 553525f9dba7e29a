import AggregatorCore
import Contracts
import JSON

/// The command `fgctl replay`.
enum ReplayCommand {
    static let spec = CommandSpec(
        words: ["replay"],
        summary: "Store a span of the events topic once more; what is stored already changes nothing",
        details: """
            Reads beside running aggregators and moves none of their offsets. POINT is an offset, which then holds for every partition \
            (0 is everything the broker still has), or a time such as 2026-03-01T08:00:00Z or 2026-03-01, midnight UTC, by which the broker \
            received the message; --to is exclusive and without it the present end. After a clean run the summary says 0 new events. \
            Days that changed are closed by the next run, or by fgctl close-days.
            """,
        options: [
            .value("from", "POINT", required: true, "where to begin"),
            .value("to", "POINT", "where to end"),
            .value("partition", "N", "only this partition"),
            .value("topic", "TOPIC", "a topic of event messages other than KAFKA_EVENTS_TOPIC"),
            .flag("dry-run", "store nothing and say how many events are not stored"),
        ]
    ) { arguments, context in
        let from = try point(arguments.first("from"), "from")
        let to = try arguments.first("to").map { text throws(CommandFailure) in try point(text, "to") }
        try check(from, to)
        let partition =
            arguments.has("partition") ? try arguments.integer("partition", default: 0, in: 0...100_000) : nil
        let topic = arguments.first("topic") ?? context.settings.eventsTopic
        guard topic != context.settings.rejectionsTopic else {
            throw CommandFailure.usage("--topic must be a topic of event messages")
        }
        let brokers = try context.settings.required(context.settings.brokers, "KAFKA_BROKERS")
        let span = try await TopicSpan.find(
            topic,
            from: from,
            to: to,
            partition: partition.map { Int32($0) },
            try context.admin()
        )
        var run = ReplayRun(span, isRehearsal: arguments.has("dry-run"), context)
        try await run.run(brokers: brokers)
        return result(span, run.totals, isRehearsal: arguments.has("dry-run"))
    }

    private static func point(_ text: String?, _ option: String) throws(CommandFailure) -> TopicPoint {
        guard let point = text.flatMap(TopicPoint.init) else {
            throw .usage("--\(option) must be an offset, a date or a time such as 2026-03-01T08:00:00Z")
        }
        return point
    }

    private static func check(_ from: TopicPoint, _ to: TopicPoint?) throws(CommandFailure) {
        switch (from, to) {
        case (.offset(let first), .offset(let last)) where last <= first: break
        case (.time(let first), .time(let last)) where last <= first: break
        default: return
        }
        throw .usage("--to must be after --from")
    }

    private static func result(
        _ span: TopicSpan,
        _ totals: ReplayTotals,
        isRehearsal: Bool
    ) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("topic")
        writer.string(span.topic)
        writer.key("dry_run")
        writer.bool(isRehearsal)
        for (name, count) in [
            ("messages", totals.messages), ("events", totals.events), ("new_events", totals.new),
            ("known_events", totals.events - totals.new),
            ("set_aside_messages", totals.setAside.values.reduce(0, +)),
        ] {
            writer.key(name)
            writer.int(count)
        }
        writer.key("partitions")
        writer.beginArray()
        for (partition, range) in span.ranges.sorted(by: { $0.key < $1.key }) {
            writer.beginObject()
            writer.key("partition")
            writer.int(Int(partition))
            writer.key("from")
            writer.int64(range.lowerBound)
            writer.key("to")
            writer.int64(range.upperBound)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let would = isRehearsal ? "would be " : ""
        let aside = totals.setAside.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.value) \($0.key.rawValue)" }.joined(separator: ", ")
        let text =
            "\(totals.messages) messages with \(totals.events) events read: \(totals.new) \(would)new, \(totals.events - totals.new) stored before\n"
            + (aside.isEmpty ? "" : "messages that cannot be used: \(aside)\n")
        return CommandResult(text: text, json: writer.bytes)
    }
}
