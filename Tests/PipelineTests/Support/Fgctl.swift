import Foundation

/// What a run of fgctl came to.
struct FgctlResult: Sendable {
    let exitCode: Int32
    let output: [UInt8]
    let errors: String

    /// `null` when the output is none.
    var json: JSON { (try? JSON(parsing: output)) ?? .null }

    @discardableResult
    func requireSuccess() throws -> JSON {
        guard exitCode == 0 else { throw Died(name: "fgctl (\(exitCode))", log: errors) }
        return json
    }
}

extension Stack {
    /// Runs fgctl with `--json` and this stack's settings.
    func fgctl(_ arguments: String...) async throws -> FgctlResult { try await fgctl(arguments) }

    func fgctl(_ arguments: [String]) async throws -> FgctlResult {
        let process = Process()
        process.executableURL = URL(filePath: try TestSetting.executable("fgctl"))
        process.arguments = arguments + ["--json"]
        process.environment = fgctlSettings
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Both at once, so that neither pipe fills up; on threads of their own, since reading blocks.
        async let said = output.readToEnd()
        async let complained = errors.readToEnd()
        let (outputBytes, errorBytes) = try await (said, complained)
        try await wait(until: "fgctl ends") { !process.isRunning }
        return FgctlResult(
            exitCode: process.terminationStatus,
            output: outputBytes,
            errors: String(decoding: errorBytes, as: UTF8.self)
        )
    }

    var fgctlSettings: [String: String] {
        var settings = [
            "DATABASE_URL": database.url, "KAFKA_BROKERS": brokers, "KAFKA_EVENTS_TOPIC": topic,
            "KAFKA_REJECTIONS_TOPIC": rejectionsTopic, "ERASURE_HASH_KEY": Self.erasureHashKey,
        ]
        for service in ServiceName.allCases {
            settings["\(service.rawValue.uppercased())_DB_PASSWORD"] = ScratchDatabase.rolePassword
        }
        return settings
    }

    /// Stores and closes everything; returns the answer.
    @discardableResult
    func closeDays() async throws -> JSON { try await fgctl("close-days").requireSuccess() }

    func createApp(platforms: [String] = ["ios"], timezone: String = "UTC") async throws -> TestApp {
        let options = platforms.flatMap { ["--platform", $0] }
        let json = try await fgctl(
            ["app", "create", "--name", "Pipeline", "--timezone", timezone] + options
        )
        .requireSuccess()
        let app = TestApp(json)
        keepSecret(app.keys.map(\.key))
        // Ingest hears of a new key at once by Postgres' notification; a request before that gets 401.
        if logs.contains(where: { $0.name == ServiceName.ingest.rawValue && $0.isRunning }) {
            try await waitUntilKnown(app.anyKey)
        }
        return app
    }

    func waitUntilKnown(_ key: String) async throws {
        try await wait(until: "ingest knows the key", seconds: 15) {
            // A batch without events is refused after its key was found.
            try await post(JSON.object([:]).bytes, key: key).status != 401
        }
    }

    func createReadKey(app: TestApp? = nil) async throws -> String {
        try await createKey(scopes: ["read"], app: app)
    }

    func createKey(scopes: [String], app: TestApp? = nil) async throws -> String {
        let options = scopes.flatMap { ["--scope", $0] } + (app.map { ["--app", $0.id] } ?? [])
        let json = try await fgctl(["api-key", "create"] + options).requireSuccess()
        let key = json["key"].string ?? ""
        keepSecret([key])
        return key
    }
}

extension Pipe {
    fileprivate func readToEnd() async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "fgctl").async {
                continuation.resume(
                    with: Result { try self.fileHandleForReading.readToEnd().map(Array.init) ?? [] }
                )
            }
        }
    }
}

/// An app as fgctl made it.
struct TestApp: Sendable {
    let id: String
    let keys: [(platform: String?, key: String)]
    let json: JSON

    init(_ json: JSON) {
        self.json = json
        id = json["app_id"].string ?? ""
        keys = json["keys"].list.map { ($0["platform"].string, $0["key"].string ?? "") }
    }

    func key(_ platform: String?) -> String { keys.first { $0.platform == platform }?.key ?? "" }
    var anyKey: String { key(nil) }
}
