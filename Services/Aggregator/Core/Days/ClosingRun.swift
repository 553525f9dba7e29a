import Postgres

/// What a run over all waiting days came to.
public struct ClosingSummary: Sendable, Equatable {
    /// Days that got a new revision.
    public var closed = 0
    /// Days whose facts left the block as it was.
    public var unchanged = 0

    public init() {}
}

/// Closes every day that waits, and those that wait because of it.
public struct ClosingRun: Sendable {
    private let closer: DayCloser
    /// Days fetched at once; progress is reported in between.
    static let daysMax = 200

    public init(closer: DayCloser) {
        self.closer = closer
    }

    /// Returns when no mark is left of those that were there at the start, or when `shouldStop` says so.
    ///
    /// Not when none is left at all: beside stores that go on marking today that moment may never come.
    /// A day another instance is closing is looked at again until its marks are gone: the caller may rely on it being closed.
    public func run(
        pauseMs: Int = 100,
        shouldStop: @Sendable () -> Bool = { false },
        progress: @Sendable (ClosingSummary) -> Void = { _ in }
    ) async throws -> ClosingSummary {
        var summary = ClosingSummary()
        let lastMark = try await closer.lastMark()
        while !shouldStop() {
            let waiting = try await closer.waiting(through: lastMark, limit: Self.daysMax)
            if waiting.isEmpty { break }
            var isAllBusy = true
            for key in waiting where !shouldStop() {
                switch try await closer.closeOrYield(key) {
                case .closed: summary.closed += 1
                case .unchanged: summary.unchanged += 1
                case .gone: break
                case .busy: continue
                }
                isAllBusy = false
                progress(summary)
            }
            if isAllBusy { try await Task.sleep(for: .milliseconds(pauseMs)) }
        }
        return summary
    }
}
