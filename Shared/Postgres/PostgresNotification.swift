/// A message that some session sent by NOTIFY.
public struct PostgresNotification: Sendable, Equatable {
    public let channel: String
    public let payload: String
    /// The server process of the sender, to tell one's own messages from others'.
    public let serverProcess: Int32

    public init(channel: String, payload: String, serverProcess: Int32) {
        self.channel = channel
        self.payload = payload
        self.serverProcess = serverProcess
    }
}
