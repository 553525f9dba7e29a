/// The answers of the operations port: health, readiness, metrics and version.
///
/// Pure but for reading the metrics, so it is tested without a server.
public struct OpsEndpoints: Sendable {
    /// An answer, without a word about how it travels.
    public struct Answer: Sendable, Equatable {
        public let status: Int
        public let contentType: String
        public let body: [UInt8]
        /// The value of `Allow`, which a 405 must carry.
        public var allow: String?

        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let service: String
    private let health: HealthCheck
    private let metrics: MetricRegistry

    public init(service: String, health: HealthCheck, metrics: MetricRegistry) {
        self.service = service
        self.health = health
        self.metrics = metrics
    }

    /// Answers HEAD like GET, body included: whoever sends it leaves the body out and keeps its length.
    public func answer(method: String, path: String) -> Answer {
        let route = path.prefix { $0 != "?" }
        guard let content = content(of: route) else { return json(404, #"{"error":"not_found"}"#) }
        guard method == "GET" || method == "HEAD" else {
            var refused = json(405, #"{"error":"method_not_allowed"}"#)
            refused.allow = "GET, HEAD"
            return refused
        }
        return content()
    }

    private func content(of route: Substring) -> (() -> Answer)? {
        switch route {
        case "/healthz": alive
        case "/readyz": readiness
        case "/metrics": exposition
        case "/version": version
        default: nil
        }
    }

    /// 200 as long as the process answers at all, also while it drains: a restart would lose its work.
    private func alive() -> Answer { json(200, #"{"status":"alive"}"#) }

    private func readiness() -> Answer {
        let report = health.report()
        var text = JSONText()
        text.raw("{\"status\":")
        text.string(report.isReady ? "ready" : report.phase == .running ? "not_ready" : report.phase.rawValue)
        text.raw(",\"conditions\":[")
        for (index, condition) in report.conditions.enumerated() {
            text.raw(index == 0 ? "{\"name\":" : ",{\"name\":")
            text.string(condition.name)
            text.raw(",\"ready\":\(condition.state == .ready)")
            if case .notReady(let reason) = condition.state {
                text.raw(",\"reason\":")
                text.string(reason, scalarsMax: Logger.valueScalarsMax)
            }
            text.raw("}")
        }
        text.raw("]}")
        return json(report.isReady ? 200 : 503, text)
    }

    private func exposition() -> Answer {
        Answer(status: 200, contentType: Exposition.contentType, body: metrics.exposition())
    }

    private func version() -> Answer {
        var text = JSONText()
        text.raw("{\"service\":")
        text.string(service)
        text.raw(",\"version\":")
        text.string(BuildInfo.version)
        text.raw(",\"build\":")
        text.string(BuildInfo.build)
        text.raw("}")
        return json(200, text)
    }

    private func json(_ status: Int, _ text: String) -> Answer {
        Answer(status: status, contentType: "application/json", body: Array((text + "\n").utf8))
    }

    private func json(_ status: Int, _ text: JSONText) -> Answer {
        Answer(status: status, contentType: "application/json", body: text.bytes + [UInt8(ascii: "\n")])
    }
}
