import HTTP
import Postgres
import Schema
public import ServiceKit

/// The parts of the console, in the order they depend on each other; what `main` runs and tests can too.
public func consoleComponents(_ settings: ConsoleSettings, _ service: Service) -> [any Component] {
    let pool = PostgresPool(
        url: settings.databaseURL.reveal(),
        applicationName: "foreground-console",
        connectionsMax: 4,
        statementTimeoutMs: 10_000
    )
    var server = HTTPServerConfiguration(address: settings.address, port: settings.port)
    server.threads = 1
    server.bodyBytesMax = 65_536
    return [
        HTTPComponent.ops(settings.ops, service),
        DatabaseProbe(pool, service),
        HTTPComponent(
            "http",
            server,
            handler: ConsoleHandler(pool: pool),
            drainMs: 10_000,
            logger: service.logger
        ),
    ]
}
