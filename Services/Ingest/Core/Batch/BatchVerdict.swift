import Contracts

/// An event that passed every check.
///
/// Only `BatchValidator` makes one, so whatever takes this type need not check again.
struct AcceptedEvent: Sendable, Equatable {
    /// The event's position in the batch as the client sent it.
    let index: Int
    let installID: UUID128
    /// `event.context` is an index into `BatchVerdict.contexts`.
    let event: EventMessage.Event

    init(index: Int, installID: UUID128, event: EventMessage.Event) {
        self.index = index
        self.installID = installID
        self.event = event
    }
}

/// An event that was turned away, without any of its values but its id.
struct RejectedEvent: Sendable, Equatable {
    let index: Int
    /// Only when it is a UUID: anything else could be personal.
    let insertID: UUID128?
    let code: RejectionCode
    /// Path of the field, such as `events[1].user_id`.
    let field: String
    /// What tells builds apart on the Integration page, as far as the event's context could be read.
    var platform: Platform?
    var appVersion: String?
}

/// A correction that was made to an accepted event.
struct EventWarning: Sendable, Equatable {
    let index: Int
    let insertID: UUID128
    let code: WarningCode
}

/// What became of each event of a batch.
struct BatchVerdict: Sendable, Equatable {
    var contexts: [ResolvedContext] = []
    /// To be published, in the order of the batch.
    var accepted: [AcceptedEvent] = []
    /// Copies of an event earlier in the batch: accepted, and not published again.
    var duplicates = 0
    var rejected: [RejectedEvent] = []
    var warnings: [EventWarning] = []

    /// What the client is told: `acceptedCount + rejected.count` is always the number of events sent.
    var acceptedCount: Int { accepted.count + duplicates }
}
