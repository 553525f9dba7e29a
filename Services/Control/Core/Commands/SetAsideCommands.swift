import AggregatorCore
import Calendar
import JSON
import Postgres

/// The commands `fgctl set-aside list`, `show`, `redrive` and `drop`: messages that aggregators could not use.
enum SetAsideCommands {
    private static let reasons = SetAsideReason.allCases.map(\.rawValue)
    private static let reasonOption = OptionSpec.value(
        "reason",
        "REASON",
        "only these: \(reasons.joined(separator: ", "))"
    )
    private static let idHelp = "ID is [TOPIC:]PARTITION:OFFSET, as the list prints it."

    static let list = CommandSpec(
        words: ["set-aside", "list"],
        summary: "List messages that could not be used, the newest first, and count them by reason",
        details:
            "They are deleted after AGGREGATOR_SET_ASIDE_KEPT_MS. Of messages of unknown apps only the place is kept.",
        options: [reasonOption, .value("limit", "N", "messages to list at most (100)")]
    ) { arguments, context in
        let limit = try arguments.integer("limit", default: 100, in: 1...100_000)
        let reason = try reason(arguments)
        let connection = try await context.connect()
        let messages = try await SetAsideTable.list(reason: reason, limit: limit, connection)
        let counts = try await SetAsideTable.counts(connection)
        await connection.close()
        return listed(messages, counts)
    }

    static let show = CommandSpec(
        words: ["set-aside", "show"],
        summary: "Show a message that could not be used",
        details:
            "\(idHelp) Bytes that are not printable ASCII are written as \\xNN. What is shown may name people.",
        options: [.value("bytes", "N", "bytes of the payload to show at most (4096)")],
        positionals: ["ID"]
    ) { arguments, context in
        let bytesMax = try arguments.integer("bytes", default: 4_096, in: 1...16_777_216)
        let id = try SetAsideID(arguments.positionals[0], eventsTopic: context.settings.eventsTopic)
        let connection = try await context.connect()
        let found = try await SetAsideTable.find(id, payloadBytesMax: bytesMax, connection)
        await connection.close()
        guard let found else { throw CommandFailure("no message \(id) is set aside") }
        return shown(found.message, found.payload)
    }

    static let redrive = CommandSpec(
        words: ["set-aside", "redrive"],
        summary: "Store messages that work by now, and take them off the list",
        details: """
            \(idHelp) Each message is decoded by this version and stored like any other; what is stored already changes nothing, and no \
            offset moves. A message that still cannot be used stays. Messages of unknown apps cannot be redriven: nothing of them is kept; \
            make the app and use fgctl replay.
            """,
        options: [.flag("all", "every message"), reasonOption],
        optionalPositionals: ["ID"]
    ) { arguments, context in
        let target = try target(arguments, context)
        let connection = try await context.connect()
        var redrive = Redrive(context: context, connection: connection)
        switch target {
        case .one(let id):
            guard try await redrive.one(id) else {
                throw CommandFailure("no message \(id) is set aside")
            }
        case .all(let reason): try await redrive.all(reason: reason)
        }
        await connection.close()
        return redriven(redrive.totals)
    }

    static let drop = CommandSpec(
        words: ["set-aside", "drop"],
        summary: "Delete messages that could not be used",
        details: "\(idHelp) The topic is not touched.",
        options: [.flag("all", "every message"), reasonOption],
        optionalPositionals: ["ID"]
    ) { arguments, context in
        let target = try target(arguments, context)
        let connection = try await context.connect()
        let count: Int
        switch target {
        case .one(let id):
            count = try await SetAsideTable.delete(id, connection) ? 1 : 0
            if count == 0 { throw CommandFailure("no message \(id) is set aside") }
        case .all(let reason): count = try await SetAsideTable.deleteAll(reason: reason, connection)
        }
        await connection.close()
        return CommandResult(text: "\(count) dropped\n", json: Array("{\"dropped\":\(count)}".utf8))
    }

    private enum Target {
        case one(SetAsideID)
        case all(reason: String?)
    }

    private static func target(
        _ arguments: ParsedArguments,
        _ context: CommandContext
    ) throws(CommandFailure) -> Target {
        let reason = try reason(arguments)
        switch (arguments.positionals.first, arguments.has("all")) {
        case (let id?, false) where reason == nil:
            return .one(try SetAsideID(id, eventsTopic: context.settings.eventsTopic))
        case (nil, true): return .all(reason: reason)
        default: throw .usage("give either an ID or --all, and --reason with --all only")
        }
    }

    private static func reason(_ arguments: ParsedArguments) throws(CommandFailure) -> String? {
        guard let reason = arguments.first("reason") else { return nil }
        guard reasons.contains(reason) else {
            throw .usage("--reason '\(reason)' is not one of \(reasons.joined(separator: ", "))")
        }
        return reason
    }

    private static func listed(
        _ messages: [SetAsideMessage],
        _ counts: [(reason: String, count: Int)]
    ) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("total")
        writer.int(counts.reduce(0) { $0 + $1.count })
        writer.key("counts")
        writer.beginArray()
        for entry in counts {
            writer.beginObject()
            writer.key("reason")
            writer.string(entry.reason)
            writer.key("count")
            writer.int(entry.count)
            writer.endObject()
        }
        writer.endArray()
        writer.key("messages")
        writer.beginArray()
        for message in messages {
            writer.beginObject()
            write(message, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let rows = messages.map(line) + counts.map { "\($0.count) \($0.reason)\n" }
        return CommandResult(
            text: rows.isEmpty ? "nothing is set aside\n" : rows.joined(),
            json: writer.bytes
        )
    }

    private static func line(_ message: SetAsideMessage) -> String {
        "\(RFC3339.format(ms: message.setAsideAtMs))  \(HelpText.padded(message.reason, to: 22))"
            + "\(HelpText.padded("\(message.payloadBytes) bytes", to: 15))\(message.id)\n"
    }

    private static func shown(_ message: SetAsideMessage, _ payload: [UInt8]) -> CommandResult {
        let isCut = payload.count < message.payloadBytes
        var writer = JSONWriter()
        writer.beginObject()
        write(message, to: &writer)
        writer.key("payload")
        writer.string(escapedText(payload))
        writer.key("payload_is_cut")
        writer.bool(isCut)
        writer.endObject()
        let rest = isCut ? "\n… \(message.payloadBytes - payload.count) more bytes: --bytes" : ""
        return CommandResult(
            text: line(message) + (payload.isEmpty ? "no payload" : escapedText(payload)) + rest + "\n",
            json: writer.bytes
        )
    }

    private static func write(_ message: SetAsideMessage, to writer: inout JSONWriter) {
        writer.key("id")
        writer.string(message.id.description)
        writer.key("topic")
        writer.string(message.id.topic)
        writer.key("partition")
        writer.int(Int(message.id.partition))
        writer.key("offset")
        writer.int64(message.id.offset)
        writer.key("reason")
        writer.string(message.reason)
        writer.key("payload_bytes")
        writer.int(message.payloadBytes)
        writer.key("set_aside_at")
        writer.string(RFC3339.format(ms: message.setAsideAtMs))
    }

    private static func redriven(_ totals: Redrive.Totals) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, count) in [
            ("stored", totals.stored), ("new_events", totals.newEvents), ("unusable", totals.unusable),
            ("without_payload", totals.withoutPayload),
        ] {
            writer.key(name)
            writer.int(count)
        }
        writer.endObject()
        let text =
            "\(totals.stored) messages stored with \(totals.newEvents) new events; "
            + "\(totals.unusable) still cannot be used, \(totals.withoutPayload) without payload\n"
        return CommandResult(text: text, json: writer.bytes)
    }
}
