import Foundation
import Testing

/// What a script of the page does; see Browser/browser.py.
struct BrowserStep: Sendable {
    enum Kind: String { case fetch, beacon, leave }

    let name: String
    var kind = Kind.fetch
    var method = "POST"
    var headers: [String: String] = [:]
    var body: String?
    /// Blanks are added up to so many bytes.
    var padTo: Int?
    var isGzipped = false
    var credentials = "same-origin"
    /// Requests of one name share a URL, and with it what the browser remembers of a preflight.
    var urlName: String?

    func json(_ endpoint: String) -> JSON {
        var members: [String: JSON] = [
            "name": .text(name), "kind": .text(kind.rawValue), "method": .text(method),
            "url": .text("\(endpoint)?page=\(urlName ?? name)"), "gzip": .bool(isGzipped),
            "headers": .object(headers.mapValues { .text($0) }), "credentials": .text(credentials),
        ]
        if let body { members["body"] = .text(body) }
        if let padTo { members["padTo"] = .number(Double(padTo)) }
        return .object(members)
    }
}

/// What the script saw.
struct BrowserAnswer: Sendable {
    let status: Int?
    let headers: JSON
    let body: JSON
    /// Why there is no answer for the script.
    let error: String?
    let preflights: Int

    init(_ json: JSON) {
        status = json["status"].int
        headers = json["headers"]
        body = (try? JSON(parsing: Array((json["body"].string ?? "").utf8))) ?? .null
        error = json["error"].string
        preflights = json["preflights"].int ?? -1
    }
}

/// A real browser, on a page of another origin than ingest's.
struct Browser: Sendable {
    static let isThere = ["/usr/bin/chromium", "/usr/bin/chromedriver"]
        .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

    private let process: ServiceProcess
    private let directory: String

    /// Runs `body` with a browser that is gone afterwards, whatever happens.
    static func run(_ body: (Browser) async throws -> Void) async throws {
        try await withDirectory { directory in
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../Browser/browser.py").path
            let process = try ServiceProcess(
                "browser",
                program: try #require(TestSetting.python),
                arguments: [script, directory],
                environment: ["PATH": "/usr/bin:/bin", "HOME": directory, "TMPDIR": directory],
                logPath: directory + "/browser.log"
            )
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(Browser(process: process, directory: directory)))
            } catch {
                outcome = .failure(error)
            }
            try Data().write(to: URL(filePath: directory + "/stop"))
            // It ends its browser on this signal too, for the case that it hangs in a step.
            if (try? await process.exitCode(seconds: 20)) == nil { _ = try await process.terminate() }
            try outcome.get()
        }
    }

    func perform(_ steps: [BrowserStep], at ingest: RunningService) async throws -> [String: BrowserAnswer] {
        let endpoint = "http://127.0.0.1:\(ingest.servicePort ?? 0)/v1/events"
        let plan = JSON.list(steps.map { $0.json(endpoint) })
        let taken = try FileManager.default.contentsOfDirectory(atPath: directory)
        let number = taken.count { $0.hasPrefix("plan-") }
        try Data(plan.bytes).write(to: URL(filePath: directory + "/plan-\(number).json"), options: .atomic)
        let bytes = try await wait(for: "the browser is done") {
            guard process.isRunning else { throw Died(name: "browser", log: process.logText) }
            return FileManager.default.contents(atPath: directory + "/result-\(number).json")
        }
        let results = try JSON(parsing: Array(bytes))
        return Dictionary(uniqueKeysWithValues: results.names.map { ($0, BrowserAnswer(results[$0])) })
    }

    func perform(_ step: BrowserStep, at ingest: RunningService) async throws -> BrowserAnswer {
        try #require(try await perform([step], at: ingest)[step.name])
    }
}
