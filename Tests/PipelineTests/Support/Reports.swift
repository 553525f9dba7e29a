import Testing

/// Reads the reports of one app.
struct Reports: Sendable {
    let stack: Stack
    let app: TestApp
    let key: String
    var environment = "production"

    init(_ stack: Stack, _ app: TestApp) async throws {
        self.stack = stack
        self.app = app
        key = try await stack.createReadKey(app: app)
    }

    func summary(from: String, to: String) async throws -> JSON {
        try await get("summary?from=\(from)&to=\(to)&compare=none&environment=\(environment)")
    }

    /// The values by day; a day that has no point is missing.
    func series(_ metric: String, from: String, to: String) async throws -> [String: JSON] {
        let query =
            "metric=\(metric)&granularity=day&from=\(from)&to=\(to)&compare=none&environment=\(environment)"
        let points = try await get("timeseries?\(query)")["points"].list
        return Dictionary(points.map { (String(($0["ts"].string ?? "").prefix(10)), $0["value"]) }) {
            first,
            _ in first
        }
    }

    /// Everything a report says but for when it was asked.
    func snapshot(from: String, to: String) async throws -> [JSON] {
        var reports: [JSON] = []
        for environment in ["production", "development"] {
            let range = "from=\(from)&to=\(to)&environment=\(environment)"
            reports.append(try await get("summary?\(range)"))
            for metric in ["active", "new", "sessions", "avg_duration_ms"] {
                reports.append(try await get("timeseries?metric=\(metric)&\(range)"))
            }
        }
        return reports.map { $0.without("as_of", "data_through") }
    }

    private func get(_ report: String) async throws -> JSON {
        var answer = try await stack.read("/v1/apps/\(app.id)/audience/\(report)", key: key)
        // A key has ten requests a second.
        for _ in 0..<60 where answer.status == 429 {
            try await Task.sleep(for: .seconds(1))
            answer = try await stack.read("/v1/apps/\(app.id)/audience/\(report)", key: key)
        }
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json
    }
}
