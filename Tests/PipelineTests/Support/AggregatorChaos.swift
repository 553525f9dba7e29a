import Glibc
import ServiceKit
import Testing

/// Aggregators that are killed, paused, added and removed while their database restarts and the network to it breaks.
///
/// Two have fixed names within the group and are started again whenever they were killed: the development broker never misses a member
/// that was killed, so its partitions wait for that name. Another comes and goes by itself.
struct AggregatorChaos {
    enum Action: String, CaseIterable {
        case kill, killBoth, pause, add, remove, crashDatabase, restartDatabase, cutNetwork, freezeNetwork
    }

    private static let fixedNames = ["slot-0", "slot-1"]
    private let stack: Stack
    private let postgres: OwnPostgres
    private let proxy: CuttableProxy
    private var random: SplitMix64
    private var fixed: [String: ServiceProcess] = [:]
    private var extra: ServiceProcess?
    private(set) var done: [Action: Int] = [:]

    init(_ stack: Stack, _ postgres: OwnPostgres, _ proxy: CuttableProxy, seed: UInt64) {
        (self.stack, self.postgres, self.proxy) = (stack, postgres, proxy)
        random = SplitMix64(seed: seed)
    }

    mutating func startFixed() throws {
        for name in Self.fixedNames where fixed[name]?.isRunning != true { fixed[name] = try launch(name) }
    }

    mutating func stopFixed() async throws {
        for process in fixed.values { #expect(try await process.terminate() == 0) }
    }

    /// Every action once in an order of its own, again and again.
    mutating func run(until end: ContinuousClock.Instant) async throws {
        var waiting: [Action] = []
        while ContinuousClock.now < end {
            if waiting.isEmpty { waiting = Action.allCases.shuffled(using: &random) }
            let action = waiting.removeLast()
            try await perform(action)
            done[action, default: 0] += 1
            try await pauseMs(200...1_200)
        }
        try await perform(.remove)
    }

    private mutating func perform(_ action: Action) async throws {
        switch action {
        case .kill: try await kill([Self.fixedNames.randomElement(using: &random) ?? ""])
        case .killBoth: try await kill(Self.fixedNames)
        case .pause:
            let process = fixed.values.randomElement(using: &random)
            process?.send(SIGSTOP)
            try await pauseMs(1_000...3_000)
            process?.send(SIGCONT)
        case .add: if extra == nil { extra = try launch(nil) }
        case .remove:
            // Whatever is away at that moment: it ends in good time and leaves the group.
            if let extra {
                let code = try await extra.terminate()
                #expect(code == 0, "\(extra.logText.suffix(4_000))")
            }
            extra = nil
        case .crashDatabase: try await postgres.restart(signal: SIGQUIT)
        case .restartDatabase: try await postgres.restart(signal: SIGINT)
        case .cutNetwork:
            proxy.cut()
            try await pauseMs(500...2_500)
            proxy.mend()
        case .freezeNetwork:
            proxy.freeze()
            try await pauseMs(500...2_500)
            proxy.thaw()
        }
    }

    private mutating func kill(_ names: [String]) async throws {
        for name in names { try await fixed[name]?.kill() }
        try startFixed()
    }

    /// Started and not waited for: it may well start while its database is away.
    private func launch(_ instance: String?) throws -> ServiceProcess {
        var settings = try stack.settings(of: .aggregator)
        settings["DATABASE_URL"] = try stack.database.url(of: .aggregator, port: proxy.port)
        settings["KAFKA_GROUP_INSTANCE"] = instance
        settings["AGGREGATOR_CLOSE_INTERVAL_MS"] = "1000"
        settings["AGGREGATOR_POLL_MESSAGES_MAX"] = "100"
        settings["LOG_LEVEL"] = "debug"
        return try stack.launch(.aggregator, settings)
    }

    private mutating func pauseMs(_ range: ClosedRange<Int>) async throws {
        try await Task.sleep(for: .milliseconds(Int.random(in: range, using: &random)))
    }
}
