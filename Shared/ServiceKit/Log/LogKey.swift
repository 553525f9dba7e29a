/// Every key a log line may carry.
///
/// Closed on purpose: a new key is a decision about what may be written down. There is none for an event's
/// payload, a person, an install, an IP address or a token, and there must not be.
public enum LogKey: String, Sendable, CaseIterable {
    // What it is about
    case component
    case app
    case requestID = "request_id"
    case setting
    case topic
    case partition
    case offset
    case group
    case table
    case file
    case path
    case route
    case method
    case peer = "peer_kind"
    case day
    case zone
    case job
    case environment

    // What happened
    case status
    case code
    case reason
    case cause
    case error
    case sqlState = "sql_state"
    case state
    case field
    case signal

    // How much
    case count
    case bytes
    case rows
    case accepted
    case rejected
    case suppressed
    case limit
    case lag
    case attempt
    case revision

    // How long
    case durationMs = "duration_ms"
    case retryMs = "retry_ms"
    case ageMs = "age_ms"

    // Where and which
    case port
    case address
    case broker
    case version
    case build
    case generation
    case instance
}
