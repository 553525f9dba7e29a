import Synchronization

/// Whether a service may be sent work: named conditions, and where it is in its life.
///
/// Only what makes this replica worse than its neighbours belongs here. A slow broker is everybody's
/// trouble: were it a condition, all replicas would leave the load balancer at once.
public final class HealthCheck: Sendable {
    /// Where the service is in its life; only `running` takes work.
    public enum Phase: String, Sendable {
        case starting
        case running
        case draining
    }

    /// What a condition says of itself.
    public enum State: Sendable, Equatable {
        case ready
        /// The reason is shown to operators on the ops port and nowhere else.
        case notReady(String)
    }

    /// What `/readyz` answers.
    public struct Report: Sendable {
        public let phase: Phase
        /// Sorted by name.
        public let conditions: [(name: String, state: State)]

        public var isReady: Bool { phase == .running && conditions.allSatisfy { $0.state == .ready } }
    }

    private let phaseNow = Mutex(Phase.starting)
    private let conditions = Mutex<[String: @Sendable () -> State]>([:])

    public init() {}

    public var phase: Phase { phaseNow.withLock { $0 } }

    /// Moves on; from `draining` there is no way back, for the components are stopping already.
    public func enter(_ phase: Phase) {
        phaseNow.withLock { now in
            if now != .draining { now = phase }
        }
    }

    /// Adds a condition that somebody sets; it is not ready until they do.
    public func condition(_ name: String) -> ReadinessCondition {
        let condition = ReadinessCondition()
        self.condition(name) { condition.state }
        return condition
    }

    /// Adds a condition that is asked each time; `read` runs on the ops thread and must not block.
    public func condition(_ name: String, read: @escaping @Sendable () -> State) {
        conditions.withLock { $0[name] = read }
    }

    public func report() -> Report {
        let asked = conditions.withLock { $0 }.sorted { $0.key < $1.key }
        return Report(phase: phase, conditions: asked.map { (name: $0.key, state: $0.value()) })
    }
}

/// A condition's handle for whoever knows its state.
public final class ReadinessCondition: Sendable {
    private let current = Mutex<HealthCheck.State>(.notReady("not reported yet"))

    init() {}

    public var state: HealthCheck.State { current.withLock { $0 } }

    public func set(_ state: HealthCheck.State) { current.withLock { $0 = state } }
}
