/// Where a server listens, and its limits.
///
/// Deadlines are totals: a byte that arrives does not renew them.
public struct HTTPServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address; `::` also takes IPv4.
    public var address = "0.0.0.0"
    /// 0 takes any free port.
    public var port = 0
    public var threads = 2
    /// A connection beyond these is closed as soon as it is accepted, without an answer.
    public var connectionsMax = 10_000
    public var bodyBytesMax = 1 << 20
    /// All bodies together, from their first byte until their request is answered; a body that finds no room is refused.
    public var bodiesBytesMax = 256 << 20
    /// How many times `bodyBytesMax` of a chunked body are read and thrown away to deliver the refusal,
    /// before the connection is dropped.
    public var discardFactor = 4
    /// Holds the head of the request, a part of its body, and the head of the response.
    public var connectionMemoryBytes = 32 << 10
    /// From the connection's start, or a later request's first line, to the end of the head.
    public var headMsMax = 15_000
    /// From the end of the head to the end of the body.
    public var bodyMsMax = 30_000
    /// Between two requests.
    public var idleMsMax = 75_000
    /// From the answer to its last byte.
    public var writeMsMax = 30_000
    /// How long a refused client may go on sending before it is cut off, so that it gets to read its answer.
    public var lingerMsMax = 2_000
    /// How often deadlines are looked at.
    public var sweepMs = 1_000

    public init(address: String = "0.0.0.0", port: Int = 0) {
        self.address = address
        self.port = port
    }
}
