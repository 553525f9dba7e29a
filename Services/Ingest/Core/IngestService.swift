import HTTP
import Schema
public import ServiceKit

/// The parts of ingest, in the order they depend on each other; what `main` runs and tests can too.
public func ingestComponents(_ settings: IngestSettings, _ service: Service) throws -> [any Component] {
    let registry = Registry(clock: service.monotonicClock)
    let publisher = try EventPublisher(settings: settings, service: service)
    let deadlines = AnswerDeadlines(waitMsMax: settings.answerMsMax, clock: service.monotonicClock)
    let geo = try GeoSource(path: settings.geoDatabasePath, logger: service.logger)
    let geolocator = Geolocator(source: geo, trustedProxies: settings.trustedProxies)
    let installLimiter = InstallLimiter(
        installsMax: settings.limitedInstallsMax,
        clock: service.monotonicClock
    )
    let appLimiter = AppLimiter(clock: service.monotonicClock)
    let handler = IngestHandler(
        pipeline: BatchPipeline(
            registry: registry,
            geolocator: geolocator,
            limits: BatchLimits(installs: installLimiter, apps: appLimiter),
            clock: service.wallClock
        ),
        publisher: publisher,
        deadlines: deadlines,
        reporter: RejectionReporter(publisher, registry: registry, settings: settings, service: service),
        service: service
    )
    var server = HTTPServerConfiguration(address: settings.address, port: settings.port)
    server.threads = settings.threads
    server.connectionsMax = settings.connectionsMax
    // Compressed bodies may be a little longer than what they hold; the limit after inflating is the pipeline's.
    server.bodyBytesMax = EventBodies.receivedBytesMax
    server.bodiesBytesMax = settings.bodiesBytesMax
    return [
        HTTPComponent.ops(settings.ops, service),
        RegistryLoop(registry, settings: settings, service: service),
        InstanceHeartbeat(.ingest, databaseURL: settings.databaseURL, service: service) {
            appLimiter.setInstances($0)
        },
        geo,
        LimitKeeper(installs: installLimiter, apps: appLimiter),
        publisher,
        deadlines,
        HTTPComponent("http", server, handler: handler, drainMs: 10_000, logger: service.logger),
    ]
}
