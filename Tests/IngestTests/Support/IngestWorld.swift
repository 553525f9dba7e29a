import HTTP
import ServiceKit
import TestSupport

@testable import IngestCore

/// Ingest's HTTP side as `main` wires it, with a registry filled by hand and any port.
final class IngestWorld: Sendable {
    /// Nothing listens there.
    static let nowhere = "127.0.0.1:1"

    let log = LogCapture()
    let service: Service
    let handler: IngestHandler
    let deadlines: AnswerDeadlines
    /// Moves the deadlines and nothing else.
    let deadlineClock = ManualMonotonicClock()
    private let server: HTTPServer

    init(brokers: String, isConfirmed: Bool = true) throws {
        service = Service(
            name: "ingest",
            logger: log.logger(),
            wallClock: ManualWallClock(nowMs: TestTime.receivedAtMs)
        )
        deadlines = AnswerDeadlines(waitMsMax: 5_000, clock: deadlineClock)
        let world = PipelineWorld(isConfirmed: isConfirmed)
        let settings = try Self.settings(brokers)
        let publisher = try EventPublisher(settings: settings, service: service)
        handler = IngestHandler(
            pipeline: world.pipeline,
            publisher: publisher,
            deadlines: deadlines,
            reporter: RejectionReporter(
                publisher,
                registry: world.registry,
                settings: settings,
                service: service
            ),
            service: service
        )
        var configuration = HTTPServerConfiguration(address: "127.0.0.1")
        configuration.bodyBytesMax = EventBodies.receivedBytesMax
        server = try HTTPServer(configuration, handler: handler)
    }

    static func settings(_ brokers: String) throws -> IngestSettings {
        // The broker's answers decide here, never its silence.
        var reader = SettingsReader([
            "DATABASE_URL": "postgresql://localhost/none", "KAFKA_BROKERS": brokers,
            "INGEST_ANSWER_MS_MAX": "60000",
        ])
        let settings = IngestSettings(&reader)
        try reader.finish()
        return settings
    }

    func send(
        _ method: String = "POST",
        _ target: String = "/v1/events",
        headers: [(name: String, value: String)] = PostText().headers,
        body: String = BatchText.of([EventText.start()]).json
    ) async throws -> HTTPAnswer {
        try await HTTPClient.send(
            method,
            target,
            port: server.port,
            headers: headers.map { ($0.name, $0.value) },
            body: body
        )
    }

    func send(_ request: PostText) async throws -> HTTPAnswer {
        try await send(headers: request.headers, body: String(decoding: request.body, as: UTF8.self))
    }

    var metrics: String { service.ops.answer(method: "GET", path: "/metrics").text }
}
