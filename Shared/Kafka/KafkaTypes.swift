import CRDKafka

/// A name and a value that travel beside a message.
public struct KafkaHeader: Sendable, Hashable {
    public let name: String
    public let value: [UInt8]

    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

/// One partition of one topic.
public struct KafkaTopicPartition: Hashable, Sendable, CustomStringConvertible {
    public let topic: String
    public let partition: Int32

    public var description: String { "\(topic)[\(partition)]" }

    public init(topic: String, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }
}

/// Where reading a partition begins.
public enum KafkaOffset: Sendable, Hashable {
    /// The oldest message the broker still has.
    case beginning
    /// The next message to arrive.
    case end
    /// The message with this offset, or the next one that exists.
    case at(Int64)

    var rawValue: Int64 {
        switch self {
        case .beginning: Int64(RD_KAFKA_OFFSET_BEGINNING)
        case .end: Int64(RD_KAFKA_OFFSET_END)
        case .at(let offset): offset
        }
    }
}

/// Where a message goes when the key alone does not decide it.
public struct KafkaDestination: Sendable, Hashable {
    public let topic: String
    /// Nil lets the key choose.
    public let partition: Int32?
    /// Nil is the moment of the call.
    public let timestampMs: Int64?

    public init(topic: String, partition: Int32? = nil, timestampMs: Int64? = nil) {
        self.topic = topic
        self.partition = partition
        self.timestampMs = timestampMs
    }
}
