import Glibc
import Synchronization

/// The exit codes of our services.
public enum ExitCode {
    public static let clean: Int32 = 0
    public static let failed: Int32 = 1
    /// EX_USAGE: an argument nobody knows.
    public static let usage: Int32 = 64
    /// EX_CONFIG: bad settings, which restarting does not mend.
    public static let settings: Int32 = 78
}

/// Runs a service from its settings to its exit code; what a `main.swift` calls and all it calls.
///
/// `settings` reads them and does nothing else, so that `--help` can list them. `build` makes the components
/// in the order they depend on each other. Bad settings are all reported and exit 78, `build` or a
/// component that throws exits 1, and so does a drain that takes longer than `PREFIX_DRAIN_MS`.
///
/// - Parameters:
///   - prefix: what the service's own settings begin with, such as `INGEST_`; a variable with this prefix
///     that is no setting is reported as misspelt.
///   - ignoring: variables with the prefix that are somebody else's.
public func runService<Settings: Sendable>(
    named name: String,
    prefix: String,
    ignoring: Set<String> = [],
    drainMs: Int = 20_000,
    arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    environment: [String: String] = ProcessEnvironment.read(),
    settings read: @Sendable (_ reader: inout SettingsReader) -> Settings,
    build: @escaping @Sendable (_ settings: Settings, _ service: Service) async throws -> [any Component]
) async -> Never {
    // A client that goes away must not take the process with it.
    signal(SIGPIPE, SIG_IGN)
    let question = CommandLineQuestion(arguments)
    var reader = SettingsReader(question == .none ? environment : [:])
    let common = CommonSettings(&reader, prefix: prefix, drainMs: drainMs)
    let own = read(&reader)
    answer(question, service: name, catalogue: reader.catalogue)

    let logger = Logger(service: name, level: common.level)
    do throws(SettingsError) {
        try reader.finish(prefix: prefix, ignoring: ignoring)
    } catch {
        exitBecause(of: error, logger)
    }
    let service = Service(name: name, logger: logger)
    service.metrics.registerProcessMetrics(service: name, startedMs: service.wallClock.nowMs())
    await buildAndRun(service, drainMs: common.drainMs) { try await build(own, service) }
}

/// The settings that every service has.
private struct CommonSettings {
    let level: LogLevel
    let drainMs: Int

    init(_ reader: inout SettingsReader, prefix: String, drainMs fallback: Int) {
        level = reader.choice("LOG_LEVEL", default: .info, help: "The least a log line must matter.")
        drainMs = reader.durationMs(
            "\(prefix)DRAIN_MS",
            default: fallback,
            in: 0...600_000,
            help: "How long to finish work in hand after SIGTERM before giving up with exit code 1."
        )
    }
}

private func answer(_ question: CommandLineQuestion, service: String, catalogue: [Setting]) {
    switch question {
    case .none:
        return
    case .help:
        writeAll(Array(helpText(service: service, catalogue: catalogue).utf8), to: STDOUT_FILENO)
        exit(ExitCode.clean)
    case .version:
        writeAll(Array(versionText(service: service).utf8), to: STDOUT_FILENO)
        exit(ExitCode.clean)
    case .unknown(let argument):
        let logger = Logger(service: service)
        logger.error("unknown_argument", [.reason: "\(argument): only --help and --version are known"])
        exit(ExitCode.usage)
    }
}

private func buildAndRun(
    _ service: Service,
    drainMs: Int,
    _ build: @Sendable () async throws -> [any Component]
) async -> Never {
    let shutdown = Shutdown()
    // While building there is nothing to drain, and what `build` waits for may never come.
    let isBuilding = Mutex(true)
    shutdown.onRequest { reason in
        isBuilding.withLock { isBuilding in
            guard isBuilding else { return }
            service.logger.info("stopped", [.reason: reason])
            exit(ExitCode.clean)
        }
    }
    do {
        try installShutdownSignals(shutdown)
        let components = try await build()
        isBuilding.withLock { $0 = false }
        let report = await run(components, until: shutdown, drainMs: drainMs, service: service) {
            service.logger.error("stuck", [.reason: "the drain deadline passed and no thread is free"])
            _exit(ExitCode.failed)
        }
        // `exit` runs C++'s destructors, under the feet of a component that still works: `_exit` does not.
        if report.overdue != nil { _exit(report.exitCode) }
        service.logger.info("stopped", [.code: Int(report.exitCode)])
        exit(report.exitCode)
    } catch let error as SettingsError {
        exitBecause(of: error, service.logger)
    } catch {
        service.logger.error("start_failed", [.error: "\(error)"])
        exit(ExitCode.failed)
    }
}

private func exitBecause(of error: SettingsError, _ logger: Logger) -> Never {
    for problem in error.problems {
        logger.error("bad_setting", [.setting: problem.setting, .reason: problem.reason])
    }
    exit(ExitCode.settings)
}
