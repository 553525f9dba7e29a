import Contracts

/// One request as its erasure works on it.
struct ErasureTask: Sendable {
    let id: UUID128
    let app: Int32
    let appName: String
    let subject: DeletionSubject
    let requestedAtMs: Int64
}

/// Where an erasure is, before each of its transactions; tests interrupt it here.
public enum ErasureStep: Sendable, CaseIterable {
    case begin, link, drain, deleteEvents, repair, scrub, sweep, close, finish
}

/// How much one transaction of an erasure touches at most: aggregation goes on in between.
public struct ErasureLimits: Sendable {
    public var eventsMax: Int
    public var installsMax: Int
    public var usersMax: Int
    public var rulesMax: Int
    public var messagesMax: Int

    public init(
        eventsMax: Int = 5_000,
        installsMax: Int = 500,
        usersMax: Int = 500,
        rulesMax: Int = 2_000,
        messagesMax: Int = 200
    ) {
        self.eventsMax = eventsMax
        self.installsMax = installsMax
        self.usersMax = usersMax
        self.rulesMax = rulesMax
        self.messagesMax = messagesMax
    }
}

/// The service stops: the erasure goes on where it was when it runs again.
struct ErasureInterrupted: Error {}
