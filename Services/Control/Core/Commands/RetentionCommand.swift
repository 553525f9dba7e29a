import AggregatorCore
import JSON
import Postgres
import ServiceKit

/// The command `fgctl retention`.
enum RetentionCommand {
    static let spec = CommandSpec(
        words: ["retention"],
        summary: "Show what is older than 25 months, or expire it now",
        details: """
            Without --now nothing is changed: it prints for each table what the next daily run would remove. Days that expire stay as counts in \
            day_totals for ever. Partitions of Kafka that do not exist any more are looked for only if KAFKA_BROKERS is set.
            """,
        options: [
            .flag("dry-run", "only show, which is also the default"),
            .flag("now", "expire now instead of waiting for the daily run"),
        ]
    ) { arguments, context in
        let isNow = arguments.has("now")
        guard !(isNow && arguments.has("dry-run")) else {
            throw CommandFailure.usage("--now and --dry-run contradict each other")
        }
        let connection = try await context.connect()
        let topicPartitions: RetentionRun.TopicPartitions
        if let brokers = context.settings.brokers {
            topicPartitions = KafkaTopics.partitions(brokers: brokers)
        } else {
            topicPartitions = { _ in nil }
        }
        let run = RetentionRun(
            connection: connection,
            nowMs: SystemWallClock().nowMs(),
            topicPartitions: topicPartitions
        )
        let report = isNow ? try await run.run() : try await run.plan()
        await connection.close()
        guard !report.isPostponed else {
            throw CommandFailure("put off: apps are being merged, or another instance is at it")
        }
        return result(report, isDone: isNow)
    }

    private static func result(_ report: RetentionReport, isDone: Bool) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("kept_from")
        writer.string(report.keptFrom)
        writer.key("done")
        writer.bool(isDone)
        writer.key("complete")
        writer.bool(!report.isIncomplete)
        writer.key("tables")
        writer.beginArray()
        for item in report.items { write(item, to: &writer) }
        writer.endArray()
        writer.endObject()
        var text = "events are kept from \(report.keptFrom) (UTC); \(isDone ? "removed" : "to remove"):\n"
        for item in report.items {
            text += "  \(HelpText.padded(item.table, to: 18))\(HelpText.padded("\(item.rows) rows", to: 16))"
            if !item.partitions.isEmpty {
                text += "\(item.partitions.joined(separator: ", ")): \(item.bytes) bytes"
            }
            if item.days > 0 { text += "\(item.days) days, kept as counts" }
            text += "\n"
        }
        if report.isIncomplete { text += "some days or months are in use; run it again\n" }
        return CommandResult(text: text, json: writer.bytes)
    }

    private static func write(_ item: RetentionItem, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("table")
        writer.string(item.table)
        writer.key("rows")
        writer.int(item.rows)
        writer.key("partitions")
        writer.beginArray()
        for partition in item.partitions { writer.string(partition) }
        writer.endArray()
        writer.key("bytes")
        writer.int64(item.bytes)
        writer.key("days")
        writer.int(item.days)
        writer.endObject()
    }
}
