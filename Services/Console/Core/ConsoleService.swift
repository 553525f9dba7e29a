import Crypto
import HTTP
import Postgres
import ReaderCore
import Schema
public import ServiceKit

/// The parts of the console, in the order they depend on each other; what `main` runs and tests can too.
///
/// - Throws: when the pages or the chart library cannot be read.
public func consoleComponents(_ settings: ConsoleSettings, _ service: Service) throws -> [any Component] {
    let pool = PostgresPool(
        url: settings.databaseURL.reveal(),
        applicationName: "foreground-console",
        connectionsMax: settings.connectionsMax,
        statementTimeoutMs: settings.statementMsMax
    )
    let hasher = PasswordHasher()
    let handler = try consoleHandler(settings, pool: pool, hasher: hasher, service)
    var server = HTTPServerConfiguration(address: settings.address, port: settings.port)
    server.threads = settings.threads
    server.bodyBytesMax = 65_536
    return [
        HTTPComponent.ops(settings.ops, service),
        DatabaseProbe(pool, service),
        FirstAccount(pool: pool, settings: settings, hasher: hasher, service),
        AccessSweep(pool: pool, sessions: ConsoleSessions(limits: settings.sessions), service),
        HTTPComponent("http", server, handler: handler, drainMs: 10_000, logger: service.logger),
    ]
}

/// Everything that answers requests.
///
/// - Throws: when the pages or the chart library cannot be read.
func consoleHandler(
    _ settings: ConsoleSettings,
    pool: PostgresPool,
    hasher: PasswordHasher,
    _ service: Service
) throws -> ConsoleHandler {
    let origins = CrossSiteCheck(consoleURL: settings.consoleURL)
    let control = ControlPlaneAPI(
        pool: pool,
        sessions: SessionAPI(
            pool: pool,
            hasher: hasher,
            limiter: SignInLimiter(clock: service.monotonicClock, proxies: settings.trustedProxies),
            store: ConsoleSessions(limits: settings.sessions),
            cookie: SessionCookie(isSecure: origins.isSecure, ageMsMax: settings.sessions.ageMsMax)
        ),
        facts: ConsoleFacts(ingestURL: settings.ingestURL, readURL: settings.readURL),
        origins: origins
    )
    return ConsoleHandler(
        control,
        reports: ReadHandler(pool: pool, cacheBytesMax: settings.cacheBytesMax, service),
        pages: try StaticPages(folder: settings.pagesFolder, chart: settings.chartFile),
        service
    )
}
