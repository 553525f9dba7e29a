import Testing

/// Something a test waited for did not happen.
struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let seconds: Int

    var description: String { "not within \(seconds) s: \(what)" }
}

/// Looks until `look` finds something; generous, because the machine may be busy.
@discardableResult
func wait<Found>(
    for what: String,
    seconds: Int = 60,
    _ look: () async throws -> Found?
) async throws -> Found {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
        if let found = try await look() { return found }
        guard ContinuousClock.now < end else { throw NeverHappened(what: what, seconds: seconds) }
        try await Task.sleep(for: .milliseconds(50))
    }
}

/// Looks until `look` is true.
func wait(until what: String, seconds: Int = 60, _ look: () async throws -> Bool) async throws {
    try await wait(for: what, seconds: seconds) { try await look() ? () : nil }
}
