public import ServiceKit
import Synchronization

/// Lets the limiters forget what is full again.
public final class LimitKeeper: Component {
    public let name = "limits"
    private let installs: InstallLimiter
    private let apps: AppLimiter
    private let isStopping = Atomic(false)
    private static let pauseMs = 5_000
    private static let stopCheckMs = 100

    public init(installs: InstallLimiter, apps: AppLimiter) {
        self.installs = installs
        self.apps = apps
    }

    public func run() async throws {
        var waitedMs = 0
        while !isStopping.load(ordering: .relaxed) {
            try? await Task.sleep(for: .milliseconds(Self.stopCheckMs))
            waitedMs += Self.stopCheckMs
            guard waitedMs >= Self.pauseMs else { continue }
            waitedMs = 0
            installs.sweep()
            apps.sweep()
        }
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }
}
