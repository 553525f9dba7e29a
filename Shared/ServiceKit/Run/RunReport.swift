/// How a service's components ended.
public struct RunReport: Sendable {
    /// A component that threw.
    public struct Failure: Sendable {
        public let component: String
        public let error: any Error
    }

    /// In the order they happened.
    public internal(set) var failures: [Failure] = []
    /// The component that was still stopping at the deadline; those before it were not asked to stop.
    public internal(set) var overdue: String?

    public var exitCode: Int32 { failures.isEmpty && overdue == nil ? 0 : 1 }
}
