import Contracts
import JSON
import Kafka

/// The command `fgctl topics create`.
enum TopicsCommand {
    static let spec = CommandSpec(
        words: ["topics", "create"],
        summary: "Create the Kafka topics that are missing",
        details: "Topics that exist are left as they are.",
        options: [
            .value("partitions", "N", "partitions of the events topic (\(Topics.partitionsDefault))"),
            .value("replication", "N", "copies of each partition (1)"),
        ]
    ) { arguments, context in
        let partitions = try arguments.integer(
            "partitions",
            default: Topics.partitionsDefault,
            in: 1...10_000
        )
        let replication = try arguments.integer("replication", default: 1, in: 1...100)
        let topics = specifications(context.settings, partitions: partitions, replication: replication)
        let outcomes = try await context.admin().createTopics(topics)
        return result(topics, outcomes)
    }

    private static func specifications(
        _ settings: ControlSettings,
        partitions: Int,
        replication: Int
    ) -> [KafkaTopicSpecification] {
        let durable = replication >= 3 ? ["min.insync.replicas": "2"] : [:]
        return [
            KafkaTopicSpecification(
                name: settings.eventsTopic,
                partitions: partitions,
                replication: replication,
                configuration: durable.merging(["retention.ms": "\(Topics.eventsRetentionMs)"]) { $1 }
            ),
            KafkaTopicSpecification(
                name: settings.rejectionsTopic,
                partitions: partitions,
                replication: replication,
                configuration: durable.merging(["retention.ms": "\(Topics.rejectionsRetentionMs)"]) { $1 }
            ),
        ]
    }

    private static func result(
        _ topics: [KafkaTopicSpecification],
        _ outcomes: [String: KafkaTopicOutcome]
    ) -> CommandResult {
        var writer = JSONWriter()
        var text = ""
        writer.beginObject()
        writer.key("topics")
        writer.beginArray()
        for topic in topics {
            let isCreated = outcomes[topic.name] == .created
            writer.beginObject()
            writer.key("name")
            writer.string(topic.name)
            writer.key("created")
            writer.bool(isCreated)
            writer.endObject()
            text += "\(topic.name): \(isCreated ? "created" : "exists")\n"
        }
        writer.endArray()
        writer.endObject()
        return CommandResult(text: text, json: writer.bytes)
    }
}
