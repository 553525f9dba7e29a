/// A topic of ours, as a consumer is told of it.
struct ConsumedTopic: Sendable {
    /// What the log and the metrics of its component are called.
    let component: String
    let name: String
    let consumerSettings: [String: String]
    let pollMessagesMax: Int
    let pollBytesMax: Int
    let sink: any TopicSink
}
