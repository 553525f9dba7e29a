import ServiceKit
import Testing

@Suite struct OpsEndpointsTests {
    let service = Service.test()

    @Test func aliveWhateverElseIsWrong() {
        service.health.enter(.draining)

        #expect(service.ops.answer(method: "GET", path: "/healthz").status == 200)
    }

    @Test func notReadyBeforeEverythingStarted() {
        let answer = service.ops.answer(method: "GET", path: "/readyz")

        #expect(answer.status == 503)
        #expect(answer.text == #"{"status":"starting","conditions":[]}"# + "\n")
    }

    @Test func readyOnceRunning() {
        service.health.enter(.running)

        let answer = service.ops.answer(method: "GET", path: "/readyz")

        #expect(answer.status == 200)
        #expect(answer.text == #"{"status":"ready","conditions":[]}"# + "\n")
    }

    @Test func readinessNamesEachCondition() {
        service.health.enter(.running)
        service.health.condition("registry").set(.notReady("no \"snapshot\""))
        service.health.condition("database") { .ready }

        let answer = service.ops.answer(method: "GET", path: "/readyz")

        #expect(answer.status == 503)
        #expect(answer.contentType == "application/json")
        #expect(
            answer.text
                == #"{"status":"not_ready","conditions":[{"name":"database","ready":true},"#
                + #"{"name":"registry","ready":false,"reason":"no \"snapshot\""}]}"# + "\n"
        )
    }

    @Test func aConditionIsNotReadyUntilReported() {
        service.health.enter(.running)

        let condition = service.health.condition("registry")
        #expect(!service.health.report().isReady)
        condition.set(.ready)
        #expect(service.health.report().isReady)
    }

    @Test func drainingIsNotReadyAndFinal() {
        service.health.enter(.running)
        service.health.enter(.draining)
        service.health.enter(.running)

        let answer = service.ops.answer(method: "GET", path: "/readyz")

        #expect(answer.status == 503)
        #expect(answer.text.contains("draining"))
    }

    @Test func metricsAreServedInPrometheusFormat() {
        service.metrics.counter("x_total", help: "X.").increment()

        let answer = service.ops.answer(method: "GET", path: "/metrics?x=1")

        #expect(answer.status == 200)
        #expect(answer.contentType == "text/plain; version=0.0.4; charset=utf-8")
        #expect(answer.text.contains("x_total 1\n"))
    }

    @Test func theVersionIsServed() throws {
        let answer = service.ops.answer(method: "GET", path: "/version")

        let json = try parsed(answer.text)
        #expect(json["service"] as? String == "test")
        #expect(json["version"] as? String == BuildInfo.version)
        #expect(json["build"] as? String == BuildInfo.build)
    }

    @Test(arguments: ["/healthz", "/readyz", "/version"])
    func headAnswersLikeGet(path: String) {
        let head = service.ops.answer(method: "HEAD", path: path)

        #expect(head == service.ops.answer(method: "GET", path: path))
    }

    @Test(arguments: ["POST", "DELETE", "OPTIONS", "get"])
    func otherMethodsAreRefused(method: String) {
        let answer = service.ops.answer(method: method, path: "/healthz")

        #expect(answer.status == 405)
        #expect(answer.allow == "GET, HEAD")
    }

    @Test(arguments: ["/", "", "/healthz/", "/metrics/x", "/HEALTHZ", "/nothing"])
    func otherPathsAreNotFound(path: String) {
        #expect(service.ops.answer(method: "GET", path: path).status == 404)
    }
}
