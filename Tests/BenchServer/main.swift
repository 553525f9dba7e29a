// Answers every request with a constant over our HTTP wrapper: what ingest's own work is measured against.

import HTTP
import ServiceKit

/// As long as the answer to a small batch.
struct ConstantHandler: HTTPHandler {
    private static let body = Array(
        #"{"accepted":1,"rejected":[],"warnings":[],"server_time":"2026-10-14T09:15:02.318Z"}"#.utf8
    )

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        responder.respond(
            HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: Self.body)
        )
    }

    func refusal(of problem: HTTPProblem, head: HTTPRequestHead?) -> HTTPResponse {
        HTTPResponse(status: problem.status)
    }
}

await runService(named: "bench-server", prefix: "BENCH_") { reader in
    reader.integer("BENCH_PORT", default: 0, in: 0...65_535, help: "Port to listen on.")
} build: { port, service in
    var configuration = HTTPServerConfiguration(address: "127.0.0.1", port: port)
    configuration.bodyBytesMax = 2 << 20
    return [
        HTTPComponent("http", configuration, handler: ConstantHandler(), drainMs: 500, logger: service.logger)
    ]
}
