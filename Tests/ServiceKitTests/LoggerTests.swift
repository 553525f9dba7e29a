import ServiceKit
import Synchronization
import Testing

@Suite struct LoggerTests {
    let capture = LogCapture()

    @Test func aLineIsOneJSONObject() {
        let logger = capture.logger(service: "ingest", clock: ManualWallClock(nowMs: 1_772_355_907_042))

        logger.info("started", [.port: 8080, .error: "none", .ageMs: 1.5, .state: true, .zone: String?.none])

        let expected =
            #"{"ts":"2026-03-01T09:05:07.042Z","level":"info","service":"ingest","event":"started","#
            + #""port":8080,"error":"none","age_ms":1.5,"state":true,"zone":null}"#
        #expect(capture.lines == [expected])
    }

    @Test(arguments: [
        ("a\nlevel=error forged", #"a\nlevel=error forged"#),
        ("a\"}\r\n{\"level\":\"error", #"a\"}\r\n{\"level\":\"error"#),
        ("\u{1B}[2Jgone", #"\u001b[2Jgone"#),
        ("\0\u{7F}\u{85}\u{9B}", #"\u0000\u007f\u0085\u009b"#),
        ("line\u{2028}para\u{2029}", #"line\u2028para\u2029"#),
        ("\u{202E}evil\u{2066}\u{200F}\u{61C}", #"\u202eevil\u2066\u200f\u061c"#),
        ("tag\u{E0041}\u{FEFF}", #"tag\udb40\udc41\ufeff"#),
        ("\\u000a", #"\\u000a"#),
        ("Zürich 東京 😀", "Zürich 東京 😀"),
    ])
    func aValueCannotForgeALine(value: String, written: String) throws {
        capture.logger().info("test", [.reason: value])

        let line = try #require(capture.lines.first)
        #expect(line.hasSuffix("\"reason\":\"\(written)\"}"))
        #expect(try parsed(line)["reason"] as? String == value)
    }

    @Test func aValueIsCutAtItsBound() throws {
        capture.logger().info("test", [.reason: String(repeating: "é", count: 513)])

        let line = try #require(capture.lines.first)
        #expect(try parsed(line)["reason"] as? String == String(repeating: "é", count: 512) + "…")
    }

    @Test func aValueAtItsBoundIsWhole() throws {
        let value = String(repeating: "é", count: 512)
        capture.logger().info("test", [.reason: value])

        let line = try #require(capture.lines.first)
        #expect(try parsed(line)["reason"] as? String == value)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func aNumberThatIsNoneLeavesTheLineReadable(number: Double) throws {
        capture.logger().info("test", [.count: number])

        let line = try #require(capture.lines.first)
        #expect(try parsed(line)["count"] as? String == "\(number)")
    }

    @Test func theServiceNameCannotForgeALine() throws {
        capture.logger(service: "a\",\"level\":\"x\n").info("test")

        let line = try #require(capture.lines.first)
        #expect(try parsed(line)["service"] as? String == "a\",\"level\":\"x\n")
    }

    @Test func belowTheLevelNothingIsBuilt() {
        let built = Atomic(0)
        let logger = capture.logger(level: .warn)
        func text() -> String {
            built.add(1, ordering: .relaxed)
            return "built"
        }

        logger.debug("test", [.reason: text()])
        logger.info("test", [.reason: text()])
        logger.warn("test", [.reason: text()])

        #expect(built.load(ordering: .relaxed) == 1)
        #expect(capture.lines.count == 1)
    }

    @Test(arguments: LogLevel.allCases)
    func eachLevelWritesItselfAndWhatMattersMore(level: LogLevel) {
        let logger = capture.logger(level: level)

        for each in LogLevel.allCases { logger.log(each, "test") }

        #expect(capture.lines.count == LogLevel.allCases.filter { $0 >= level }.count)
    }

    @Test func keysAreSnakeCaseAndDistinct() {
        let names = LogKey.allCases.map(\.rawValue)

        #expect(Set(names).isDisjoint(with: ["ts", "level", "service", "event"]))
        #expect(names.joined().allSatisfy { $0.isLowercase || $0 == "_" })
    }
}

@Suite struct LogThrottleTests {
    let capture = LogCapture()
    let clock = ManualMonotonicClock()

    @Test func oneLineEachIntervalAndACountOfTheRest() throws {
        let throttle = LogThrottle(capture.logger(), intervalMs: 1_000, clock: clock)

        for _ in 0..<5 { throttle.error("broker_away", [.broker: "b"]) }
        clock.advance(ms: 999)
        throttle.error("broker_away")
        clock.advance(ms: 1)
        throttle.error("broker_away")
        clock.advance(ms: 1_000)
        throttle.error("broker_away")

        let suppressed = try capture.lines.map { try parsed($0)["suppressed"] as? Int }
        #expect(suppressed == [nil, 5, nil])
    }

    @Test func eventsDoNotSilenceEachOther() {
        let throttle = LogThrottle(capture.logger(), intervalMs: 1_000, clock: clock)

        throttle.error("one")
        throttle.error("two")

        #expect(capture.lines.count == 2)
    }

    @Test func aLineBelowTheLevelOpensNoWindow() {
        let throttle = LogThrottle(capture.logger(level: .error), intervalMs: 1_000, clock: clock)

        throttle.warn("one")
        throttle.error("one")

        #expect(capture.lines.count == 1)
    }
}
