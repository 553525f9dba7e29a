/// What one Kafka message of the events topic carries: the accepted events of one install from one batch.
///
/// The key is app id + install id (32 bytes), so an install stays in one partition and its order is kept. The encoding is JSON, made
/// and read in `Wire`; the header `schema` repeats the version so that a consumer can route without parsing.
public struct EventMessage: Sendable, Equatable {
    public static let schemaVersion = 1
    public static let schemaHeader = "schema"
    /// Years 2000 to 2100: a time of receipt outside is a fault of the sender, not an old message.
    public static let receivedAtMsRange: Range<Int64> = 946_684_800_000..<4_102_444_800_000

    public struct Event: Sendable, Equatable {
        public var insertID: UUID128
        public var name: EventName
        /// Corrected by the difference of the client's two clocks.
        public var eventTimeMs: Int64
        /// As the client wrote it.
        public var clientTimeMs: Int64
        public var sessionID: UUID128
        public var userID: String?
        /// Present exactly on `session_end`, 0...86,400,000.
        public var durationMs: Int64?
        /// Index into `contexts`.
        public var context: Int
        public var warnings: [WarningCode]

        public init(
            insertID: UUID128,
            name: EventName,
            eventTimeMs: Int64,
            clientTimeMs: Int64,
            sessionID: UUID128,
            userID: String? = nil,
            durationMs: Int64? = nil,
            context: Int = 0,
            warnings: [WarningCode] = []
        ) {
            self.insertID = insertID
            self.name = name
            self.eventTimeMs = eventTimeMs
            self.clientTimeMs = clientTimeMs
            self.sessionID = sessionID
            self.userID = userID
            self.durationMs = durationMs
            self.context = context
            self.warnings = warnings
        }
    }

    public var appID: UUID128
    public var keyID: UUID128
    public var installID: UUID128
    public var receivedAtMs: Int64
    public var contexts: [EventContext]
    public var events: [Event]

    public init(
        appID: UUID128,
        keyID: UUID128,
        installID: UUID128,
        receivedAtMs: Int64,
        contexts: [EventContext],
        events: [Event]
    ) {
        self.appID = appID
        self.keyID = keyID
        self.installID = installID
        self.receivedAtMs = receivedAtMs
        self.contexts = contexts
        self.events = events
    }

    /// The Kafka key: sixteen bytes of the app, sixteen of the install.
    public static func key(appID: UUID128, installID: UUID128) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(32)
        for half in [appID.high, appID.low, installID.high, installID.low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                key.append(UInt8(truncatingIfNeeded: half >> shift))
            }
        }
        return key
    }
}
