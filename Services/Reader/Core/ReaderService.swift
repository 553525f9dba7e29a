import HTTP
import Postgres
import Schema
public import ServiceKit

/// The parts of the reader, in the order they depend on each other; what `main` runs and tests can too.
public func readerComponents(_ settings: ReaderSettings, _ service: Service) -> [any Component] {
    let pool = PostgresPool(
        url: settings.databaseURL.reveal(),
        applicationName: "foreground-reader",
        connectionsMax: settings.connectionsMax,
        statementTimeoutMs: settings.statementMsMax
    )
    let limiter = RequestLimiter(instances: max(1, settings.rateInstances), clock: service.monotonicClock)
    let handler = ReadHandler(
        ReadService(
            pool: pool,
            worlds: WorldCache(bytesMax: settings.cacheBytesMax),
            limiter: limiter,
            clock: service.wallClock
        ),
        service
    )
    var server = HTTPServerConfiguration(address: settings.address, port: settings.port)
    server.threads = settings.threads
    server.bodyBytesMax = 65_536
    var components: [any Component] = [
        HTTPComponent.ops(settings.ops, service), DatabaseProbe(pool, service),
    ]
    if settings.rateInstances == 0 {
        components.append(
            InstanceHeartbeat(.reader, databaseURL: settings.databaseURL, service: service) {
                limiter.setInstances($0)
            }
        )
    }
    components.append(
        HTTPComponent("http", server, handler: handler, drainMs: 10_000, logger: service.logger)
    )
    return components
}
