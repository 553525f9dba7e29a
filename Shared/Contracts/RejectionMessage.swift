/// What one Kafka message of the rejections topic carries: what was turned away of one batch, for the Integration page.
///
/// The key is the app id. Nothing of an event's values is in it but what tells builds apart: its version and platform, and its id if that
/// is a UUID.
public struct RejectionMessage: Sendable, Equatable {
    public static let schemaVersion = 1

    public struct Item: Sendable, Equatable {
        /// A `RejectionCode`, or the `IngestErrorCode` of a batch refused as a whole.
        public var code: String
        /// Path of the field inside the event, such as `user_id` or `context.platform`; nil when no field is to blame.
        public var field: String?
        public var insertID: UUID128?
        public var platform: Platform?
        public var appVersion: String?

        public init(
            code: String,
            field: String? = nil,
            insertID: UUID128? = nil,
            platform: Platform? = nil,
            appVersion: String? = nil
        ) {
            self.code = code
            self.field = field
            self.insertID = insertID
            self.platform = platform
            self.appVersion = appVersion
        }
    }

    public var appID: UUID128
    public var receivedAtMs: Int64
    public var items: [Item]

    public init(appID: UUID128, receivedAtMs: Int64, items: [Item]) {
        self.appID = appID
        self.receivedAtMs = receivedAtMs
        self.items = items
    }
}
