import AggregatorCore
import JSON
import Kafka
import Postgres
import Schema

/// The command `fgctl close-days`.
enum CloseDaysCommand {
    static let spec = CommandSpec(
        words: ["close-days"],
        summary: "Close every day that waits, after all that is in the topic now is stored",
        details: """
            Waits until the aggregators have stored everything the events topic holds at the start, then rebuilds each day that changed. \
            When it returns, reports show all of it. Closing works beside running aggregators.
            """,
        options: [
            .value("timeout", "SECONDS", "give up when storing makes no progress for so long (60)")
        ]
    ) { arguments, context in
        let timeoutSeconds = try arguments.integer("timeout", default: 60, in: 1...86_400)
        let connection = try await context.connect()
        let wait = StorageWait(context: context, connection: connection, stallMsMax: timeoutSeconds * 1000)
        let messages = try await wait.untilStored()
        let run = ClosingRun(closer: DayCloser(connection: connection))
        let summary = try await run.run(progress: { summary in
            let done = summary.closed + summary.unchanged
            if done.isMultiple(of: 50) { context.progress("\(done) days done") }
        })
        // A change of zone whose days are all built by now is part of what reports show.
        _ = try await ZoneChanges.finishAll(connection)
        await connection.close()
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("closed")
        writer.int(summary.closed)
        writer.key("unchanged")
        writer.int(summary.unchanged)
        writer.key("messages_awaited")
        writer.int64(messages)
        writer.endObject()
        let text = "\(summary.closed) days closed, \(summary.unchanged) unchanged\n"
        return CommandResult(text: text, json: writer.bytes)
    }
}

/// Waits for the aggregators to store what a topic holds.
struct StorageWait {
    let context: CommandContext
    let connection: PostgresConnection
    let stallMsMax: Int
    private static let lookMs = 100
    private static let reportMs = 2_000

    /// Returns how many messages were waited for.
    ///
    /// - Throws: `CommandFailure` when nothing moves for `stallMsMax`: most likely no aggregator runs.
    func untilStored() async throws -> Int64 {
        let ends = try await ends()
        let first = try await missing(ends)
        var left = first
        var stalledMs = 0
        var quietMs = 0
        while left > 0 {
            try await Task.sleep(for: .milliseconds(Self.lookMs))
            let now = try await missing(ends)
            stalledMs = now < left ? 0 : stalledMs + Self.lookMs
            left = now
            guard stalledMs < stallMsMax else {
                throw CommandFailure(
                    "\(left) messages are not stored and nothing moves: is an aggregator running?"
                )
            }
            quietMs += Self.lookMs
            if quietMs >= Self.reportMs {
                context.progress("\(left) messages to store")
                quietMs = 0
            }
        }
        return first
    }

    /// The end of each partition that holds anything.
    private func ends() async throws -> [Int32: (low: Int64, high: Int64)] {
        let admin = try context.admin()
        let topic = context.settings.eventsTopic
        var ends: [Int32: (low: Int64, high: Int64)] = [:]
        for partition in try await admin.partitions(of: topic) {
            let marks = try await admin.watermarks(
                of: KafkaTopicPartition(topic: topic, partition: partition)
            )
            if marks.high > marks.low { ends[partition] = marks }
        }
        return ends
    }

    private func missing(_ ends: [Int32: (low: Int64, high: Int64)]) async throws -> Int64 {
        let topic = context.settings.eventsTopic
        let rows = try await connection.rows(
            "SELECT partition, next_offset FROM consumer_offsets WHERE topic = \(topic) ORDER BY partition LIMIT 100000"
        ) { (try $0.int32(0), try $0.int64(1)) }
        let stored = Dictionary(rows) { first, _ in first }
        return ends.reduce(0) { sum, end in
            sum + max(0, end.value.high - max(end.value.low, stored[end.key] ?? 0))
        }
    }
}
