import AggregatorCore
import Contracts
import ControlPlane
import JSON
import Postgres
import Schema

/// The commands `fgctl app merge` and `fgctl app delete`.
enum AppChangeCommands {
    private static let wait = OptionSpec.flag(
        "wait",
        "carry it out here, beside running aggregators, and return when it is done"
    )

    static let merge = CommandSpec(
        words: ["app", "merge"],
        summary: "Merge an app into another one, for good",
        details: """
            The source's keys and messages go to the target at once, its stored events follow in the background; then the source is deleted. \
            People with the same user_id become one. Secret keys bound to the source are revoked. It cannot be undone: make a backup first.
            """,
        options: [
            .value("from", "APP_ID", required: true, "the source, which ends"),
            .value("into", "APP_ID", required: true, "the target, which stays"),
            .value("confirm", "NAME", "the source's name, spelled exactly"),
            .flag("dry-run", "only show what would move"),
            wait,
        ]
    ) { arguments, context in
        let source = try Arguments.appID(arguments.first("from"), option: "from")
        let target = try Arguments.appID(arguments.first("into"), option: "into")
        let connection = try await context.connect()
        let plan: MergePlan
        do {
            plan = try await connection.perform { try MergePlan.make(from: source, into: target, $0) }
        } catch let refusal as AppChangeRefusal {
            throw CommandFailure("\(refusal)")
        }
        if arguments.has("dry-run") {
            await connection.close()
            return plan.result
        }
        try confirm(arguments, name: plan.source.name)
        do {
            try await AppChanges.beginMerge(of: source, into: target, connection)
        } catch let refusal as AppChangeRefusal {
            throw CommandFailure("\(refusal)")
        }
        let progress = try await finished(arguments, context, connection) {
            try await AppChanges.merge(of: source, $0)
        }
        return result("events_moved", progress, dropped: "events_dropped")
    }

    static let delete = CommandSpec(
        words: ["app", "delete"],
        summary: "Delete an app with everything of it, for good",
        details: """
            Its keys stop working within 15 seconds; its rows are removed in the background, then the app itself. Messages of it that are still in \
            Kafka are counted and not stored.
            """,
        options: [
            .value("app", "APP_ID", required: true, "the app that ends"),
            .value("confirm", "NAME", "its name, spelled exactly"),
            wait,
        ]
    ) { arguments, context in
        let app = try Arguments.appID(arguments.first("app"))
        let connection = try await context.connect()
        try confirm(arguments, name: try await connection.perform { try AppCatalogue.find(app, $0) }.name)
        do {
            try await AppChanges.beginDeletion(of: app, connection)
        } catch let refusal as AppChangeRefusal {
            throw CommandFailure("\(refusal)")
        }
        let progress = try await finished(arguments, context, connection) {
            try await AppChanges.deletion(of: app, $0)
        }
        return result("rows_deleted", progress, dropped: nil)
    }

    private static func confirm(_ arguments: ParsedArguments, name: String) throws(CommandFailure) {
        guard arguments.first("confirm") == name else {
            throw CommandFailure.usage("--confirm must be the name of the app that ends, spelled exactly")
        }
    }

    /// How far it is, once it is done with `--wait`.
    private static func finished(
        _ arguments: ParsedArguments,
        _ context: CommandContext,
        _ connection: PostgresConnection,
        _ status: (PostgresConnection) async throws -> AppChangeProgress?
    ) async throws -> AppChangeProgress? {
        let run = AppChangesRun(connection: connection) {
            try await context.eventStore(topic: context.settings.eventsTopic)
        }
        while arguments.has("wait") {
            let summary = try await run.run()
            guard let progress = try await status(connection), !progress.isDone else { break }
            if let error = progress.error, summary.failed > 0 {
                throw CommandFailure("stopped by \(error); the aggregator goes on trying")
            }
            context.progress("\(progress.count) rows done")
            try await Task.sleep(for: .milliseconds(200))
        }
        let progress = try await status(connection)
        await connection.close()
        return progress
    }

    private static func result(
        _ count: StaticString,
        _ progress: AppChangeProgress?,
        dropped: StaticString?
    ) -> CommandResult {
        let isDone = progress?.isDone ?? false
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("status")
        writer.string(isDone ? "done" : "running")
        writer.key(count)
        writer.int64(progress?.count ?? 0)
        if let dropped {
            writer.key(dropped)
            writer.int64(progress?.dropped ?? 0)
        }
        writer.endObject()
        let text = isDone ? "done: \(progress?.count ?? 0) rows\n" : "begun; the aggregator carries it out\n"
        return CommandResult(text: text, json: writer.bytes)
    }
}

extension MergePlan {
    private var numbers: [(key: StaticString, count: Int)] {
        [
            ("events", events), ("installs", installs), ("users", users), ("shared_users", sharedUsers),
            ("days", days), ("frozen_days", frozenDays), ("write_keys", writeKeys),
            ("api_keys_revoked", apiKeysRevoked),
        ]
    }

    fileprivate var result: CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        for number in numbers {
            writer.key(number.key)
            writer.int(number.count)
        }
        writer.endObject()
        let rows = numbers.map { "  \(HelpText.padded("\($0.key)", to: 20))\($0.count)\n" }
        return CommandResult(
            text: "merging \(source.name) would move:\n\(rows.joined())",
            json: writer.bytes
        )
    }
}
