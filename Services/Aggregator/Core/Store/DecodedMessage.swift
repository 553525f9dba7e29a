public import Contracts

/// A message of the events topic after decoding: usable, or set aside with a reason.
public struct DecodedMessage: Sendable {
    public enum Content: Sendable {
        case events(EventMessage)
        case unusable(reason: SetAsideReason, payload: [UInt8])
    }

    public let partition: Int32
    public let offset: Int64
    public let content: Content
    /// Of the contexts of `content`, in their order; made here because decoding has time while storing waits for the database.
    let fingerprints: [UUID128]

    public init(partition: Int32, offset: Int64, content: Content) {
        self.partition = partition
        self.offset = offset
        self.content = content
        if case .events(let message) = content {
            fingerprints = message.contexts.map(\.fingerprint)
        } else {
            fingerprints = []
        }
    }
}

/// Why a message was set aside; stored with it, counted by it.
public enum SetAsideReason: String, Sendable, CaseIterable {
    case empty
    case notJSON = "not_json"
    case notAnEventMessage = "not_an_event_message"
    case unknownVersion = "unknown_version"
    case invalidValue = "invalid_value"
    case unknownApp = "unknown_app"
}

/// How far a partition is known to be stored, and how far it will be after this batch.
public struct PartitionProgress: Sendable, Equatable {
    public let partition: Int32
    public let expected: Int64
    public let next: Int64

    public init(partition: Int32, expected: Int64, next: Int64) {
        self.partition = partition
        self.expected = expected
        self.next = next
    }
}

/// What storing one batch came to.
public struct StoreOutcome: Sendable, Equatable {
    public var events = 0
    /// Events that were not there before; the rest are repeats.
    public var new = 0
    /// Events of days that are no longer kept: neither stored nor counted above.
    public var expired = 0
    /// Events of erased people, which are not stored.
    public var suppressed = 0
    public var setAside: [SetAsideReason] = []
    /// Contexts stored without their free text, by app: it brought more new ones on that day than it may.
    public var contextsCut: [UUID128: Int] = [:]

    public init(expired: Int = 0) {
        self.expired = expired
    }
}

/// Another instance has taken a partition over and stored more of it: this one must forget what it holds.
public struct Fenced: Error, Sendable {}
