import AggregatorCore
import Contracts
import JSON
import Postgres
import ServiceKit

/// The command `fgctl lag`.
enum LagCommand {
    static let spec = CommandSpec(
        words: ["lag"],
        summary: "Show what of each topic is not stored yet, and how near its retention is",
        details: """
            For every partition: the stored offset, what the broker has, the messages between, the age of the oldest of them, and the time \
            until the broker deletes it. LOST counts messages that were deleted before they were stored and that no aggregator has noticed \
            yet. Reads beside running aggregators and moves nothing.
            """
    ) { _, context in
        let topics = [
            MeasuredTopic(name: context.settings.eventsTopic, retentionMs: Topics.eventsRetentionMs),
            MeasuredTopic(name: context.settings.rejectionsTopic, retentionMs: Topics.rejectionsRetentionMs),
        ]
        let connection = try await context.connect()
        let reader = try LagReader(
            brokers: try context.settings.required(context.settings.brokers, "KAFKA_BROKERS")
        )
        var lags: [PartitionLag] = []
        for topic in topics {
            let stored = try await connection.perform { try ConsumerOffsets.stored(of: topic.name, $0) }
            lags += try await reader.read(topic, stored: stored)
        }
        await reader.close()
        await connection.close()
        let nowMs = SystemWallClock().nowMs()
        return CommandResult(text: table(lags, nowMs: nowMs), json: json(lags, nowMs: nowMs))
    }

    private static func table(_ lags: [PartitionLag], nowMs: Int64) -> String {
        let head = ["TOPIC", "PART", "STORED", "START", "END", "LAG", "AGE", "RETENTION LEFT", "LOST"]
        let rows = lags.map { lag in
            [
                lag.topic, "\(lag.partition)", lag.stored.map { "\($0)" } ?? "-", "\(lag.logStart)",
                "\(lag.logEnd)", "\(lag.messages)", duration(lag.ageSeconds(nowMs: nowMs)),
                duration(lag.marginSeconds(nowMs: nowMs)), "\(lag.lost)",
            ]
        }
        let widths = head.indices.map { column in
            ([head] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([head] + rows).map { row in
            let cells = zip(row, widths).map { HelpText.padded($0, to: $1 + 2) }
            return String(cells.joined().reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    /// Such as `3 d 4 h` or `12 s`; `?` when it is not known and `-` when there is nothing to count.
    static func duration(_ seconds: Double?) -> String {
        guard let seconds else { return "?" }
        guard seconds.isFinite else { return "-" }
        let whole = Int64(max(0, min(seconds, 1e12)))
        switch whole {
        case ..<120: return "\(whole) s"
        case ..<7_200: return "\(whole / 60) min"
        case ..<172_800: return "\(whole / 3_600) h"
        default: return "\(whole / 86_400) d"
        }
    }

    private static func json(_ lags: [PartitionLag], nowMs: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("lag_messages")
        writer.int64(lags.reduce(0) { $0 + $1.messages })
        writer.key("lost_messages")
        writer.int64(lags.reduce(0) { $0 + $1.lost })
        writer.key("partitions")
        writer.beginArray()
        for lag in lags { write(lag, nowMs: nowMs, to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ lag: PartitionLag, nowMs: Int64, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("topic")
        writer.string(lag.topic)
        writer.key("partition")
        writer.int(Int(lag.partition))
        writer.key("stored_offset")
        if let stored = lag.stored { writer.int64(stored) } else { writer.null() }
        writer.key("log_start")
        writer.int64(lag.logStart)
        writer.key("log_end")
        writer.int64(lag.logEnd)
        writer.key("lag_messages")
        writer.int64(lag.messages)
        for (name, seconds) in [
            ("lag_seconds", lag.ageSeconds(nowMs: nowMs)),
            ("retention_margin_seconds", lag.marginSeconds(nowMs: nowMs)),
        ] {
            writer.key(name)
            // JSON has no infinity: null is both "no limit" and "not known".
            if let seconds, seconds.isFinite { writer.double(seconds) } else { writer.null() }
        }
        writer.key("retention_ms")
        if let retentionMs = lag.retentionMs { writer.int64(retentionMs) } else { writer.null() }
        writer.key("lost_messages")
        writer.int64(lag.lost)
        writer.endObject()
    }
}
