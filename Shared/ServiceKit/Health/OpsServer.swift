import HTTP

extension HTTPComponent {
    /// The operations port of a service: `/healthz`, `/readyz`, `/metrics` and `/version`.
    ///
    /// The first of a service's components, so that it stops last and shows the others draining.
    public static func ops(_ settings: OpsSettings, _ service: Service) -> HTTPComponent {
        var configuration = HTTPServerConfiguration(address: settings.address, port: settings.port)
        configuration.threads = 1
        configuration.connectionsMax = 100
        configuration.bodyBytesMax = 1_024
        let handler = OpsHandler(endpoints: service.ops)
        return HTTPComponent("ops", configuration, handler: handler, drainMs: 500, logger: service.logger)
    }
}

private struct OpsHandler: HTTPHandler {
    let endpoints: OpsEndpoints

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        let answer = endpoints.answer(method: request.method, path: request.path)
        var headers = [
            (name: "Content-Type", value: answer.contentType), (name: "Cache-Control", value: "no-store"),
        ]
        if let allow = answer.allow { headers.append((name: "Allow", value: allow)) }
        responder.respond(HTTPResponse(status: answer.status, headers: headers, body: answer.body))
    }

    func refusal(of problem: HTTPProblem, head: HTTPRequestHead?) -> HTTPResponse {
        HTTPResponse(
            status: problem.status,
            headers: [(name: "Content-Type", value: "application/json")],
            body: Array("{\"error\":\"\(problem.rawValue)\"}\n".utf8)
        )
    }
}
