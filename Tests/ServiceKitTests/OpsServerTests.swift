import Foundation
import FoundationNetworking
import HTTP
import ServiceKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct OpsServerTests {
    let service = Service.test()

    @Test func readinessIsServed() async throws {
        service.health.enter(.running)

        try await withOps { url in
            let (body, response) = try await ask("GET", url.appending(path: "readyz"))

            #expect(response.statusCode == 200)
            #expect(body == service.ops.answer(method: "GET", path: "/readyz").text)
            #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }
    }

    @Test func headHasTheLengthAndNoBody() async throws {
        try await withOps { url in
            let (body, response) = try await ask("HEAD", url.appending(path: "version"))

            let length = service.ops.answer(method: "GET", path: "/version").body.count
            #expect(response.statusCode == 200)
            #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(length)")
            #expect(body.isEmpty)
        }
    }

    @Test func aRefusedMethodNamesTheOthers() async throws {
        try await withOps { url in
            let (_, response) = try await ask("DELETE", url.appending(path: "metrics"))

            #expect(response.statusCode == 405)
            #expect(response.value(forHTTPHeaderField: "Allow") == "GET, HEAD")
        }
    }

    @Test func whatTheServerRefusesIsJSON() async throws {
        try await withOps { url in
            let (body, response) = try await ask("BREW", url.appending(path: "metrics"))

            #expect(response.statusCode == 501)
            #expect(body == "{\"error\":\"method_unknown\"}\n")
        }
    }

    @Test func aTakenPortFailsTheStart() async throws {
        try await withOps { url in
            let second = HTTPComponent.ops(OpsSettings(port: url.port ?? 0), service)

            await #expect(throws: HTTPServerError.self) { try await second.start() }
        }
    }

    @Test func aStoppedServerHasNoPort() async throws {
        let ops = HTTPComponent.ops(OpsSettings(port: 0), service)
        try await ops.start()

        ops.stop()
        try await ops.run()

        #expect(ops.port == nil)
    }

    /// Runs the operations port on any free port for as long as `body` takes.
    private func withOps(_ body: (URL) async throws -> Void) async throws {
        let ops = HTTPComponent.ops(OpsSettings(port: 0), service)
        try await ops.start()
        let running = Task { try await ops.run() }
        let result: Result<Void, any Error>
        do {
            let port = try #require(ops.port)
            try await body(try #require(URL(string: "http://127.0.0.1:\(port)")))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        ops.stop()
        try await running.value
        try result.get()
    }

    private func ask(_ method: String, _ url: URL) async throws -> (String, HTTPURLResponse) {
        var request = URLRequest(url: url)
        request.httpMethod = method
        let (data, response) = try await URLSession.shared.data(for: request)
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
    }
}
