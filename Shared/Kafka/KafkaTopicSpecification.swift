/// A topic to create.
public struct KafkaTopicSpecification: Sendable, Hashable {
    public let name: String
    public let partitions: Int
    public let replication: Int
    /// The broker's topic settings, such as `retention.ms`.
    public let configuration: [String: String]

    public init(name: String, partitions: Int, replication: Int = 1, configuration: [String: String] = [:]) {
        self.name = name
        self.partitions = partitions
        self.replication = replication
        self.configuration = configuration
    }
}

/// What became of a topic that was to be created.
public enum KafkaTopicOutcome: Sendable, Hashable {
    case created
    /// It was there before, with whatever partitions and settings it has.
    case alreadyExists
}
