import ServiceKit
import Synchronization
import Testing

/// Notes what happened to components, in order.
final class Diary: Sendable {
    private let notes = Mutex<[String]>([])
    var entries: [String] { notes.withLock { $0 } }
    func write(_ note: String) { notes.withLock { $0.append(note) } }
}

struct TestError: Error {}

/// A component that does as it is told.
final class TestComponent: Component {
    enum Ending { case whenStopped, never, atOnce, throwing, throwingInStart, throwingWhenStopped }

    let name: String
    private let diary: Diary
    private let ending: Ending
    private let stopped = AsyncStream<Void>.makeStream()

    init(_ name: String, _ diary: Diary, _ ending: Ending = .whenStopped) {
        self.name = name
        self.diary = diary
        self.ending = ending
    }

    func start() async throws {
        diary.write("start \(name)")
        if ending == .throwingInStart { throw TestError() }
    }

    func run() async throws {
        if ending == .throwing { throw TestError() }
        if ending == .atOnce { return }
        for await _ in stopped.stream {}
        if ending == .throwingWhenStopped { throw TestError() }
        diary.write("ended \(name)")
    }

    func stop() {
        diary.write("stop \(name)")
        if ending != .never { stopped.continuation.finish() }
    }
}

@Suite(.timeLimit(.minutes(1))) struct RunTests {
    let diary = Diary()
    let shutdown = Shutdown()
    let capture = LogCapture()

    @Test func stopsInReverseOneAtATime() async {
        let components = ["producer", "server"].map { TestComponent($0, diary) }
        shutdown.onRequest { [diary] _ in diary.write("asked") }

        let report = await run(components + [Asker(shutdown: shutdown)])

        #expect(report.exitCode == 0)
        #expect(
            diary.entries == [
                "start producer", "start server", "asked",
                "stop server", "ended server", "stop producer", "ended producer",
            ]
        )
    }

    @Test func aComponentThatThrowsStopsTheOthers() async {
        let components = [TestComponent("a", diary), TestComponent("b", diary, .throwing)]

        let report = await run(components)

        #expect(report.exitCode == 1)
        #expect(report.failures.map(\.component) == ["b"])
        #expect(diary.entries.suffix(2) == ["stop a", "ended a"])
    }

    @Test func aFailureIsOneErrorLine() async throws {
        _ = await run([TestComponent("a", diary, .throwing), TestComponent("b", diary)])

        let errors = try capture.lines.map(parsed).filter { $0["level"] as? String == "error" }
        #expect(errors.map { $0["event"] as? String } == ["component_failed"])
        #expect(errors.first?["error"] as? String == "TestError()")
    }

    @Test func aComponentThatEndsStopsTheOthersCleanly() async {
        let report = await run([TestComponent("a", diary), TestComponent("b", diary, .atOnce)])

        #expect(report.exitCode == 0)
        #expect(diary.entries.suffix(2) == ["stop a", "ended a"])
    }

    @Test func aFailedStartKeepsLaterOnesFromStarting() async {
        let components = [
            TestComponent("a", diary), TestComponent("b", diary, .throwingInStart), TestComponent("c", diary),
        ]

        let report = await run(components)

        #expect(report.failures.map(\.component) == ["b"])
        #expect(diary.entries == ["start a", "start b", "stop b", "stop a", "ended a"])
    }

    @Test func aFailureWhileDrainingCounts() async {
        let components = [TestComponent("a", diary), TestComponent("b", diary, .throwingWhenStopped)]

        let report = await run(components + [Asker(shutdown: shutdown)])

        #expect(report.failures.map(\.component) == ["b"])
        #expect(diary.entries.suffix(2) == ["stop a", "ended a"])
    }

    @Test func theDeadlineEndsTheWait() async {
        let components = [TestComponent("a", diary), TestComponent("b", diary, .never)]

        let report = await run(components + [Asker(shutdown: shutdown)], drainMs: 20)

        #expect(report.overdue == "b")
        #expect(report.exitCode == 1)
        #expect(!diary.entries.contains("stop a"))
    }

    @Test func readinessFollowsTheRun() async {
        let service = Service.test()
        let seen = Diary()
        let watcher = Watcher(service: service, seen: seen, shutdown: shutdown)

        _ = await ServiceKit.run([watcher], until: shutdown, drainMs: 10_000, service: service)

        #expect(seen.entries == ["starting", "draining"])
    }

    @Test func aRequestBeforeTheRunIsHeard() async {
        shutdown.request("early")

        let report = await run([TestComponent("a", diary)])

        #expect(report.exitCode == 0)
    }

    private func run(_ components: [any Component], drainMs: Int = 30_000) async -> RunReport {
        let service = Service.test(capture.logger())
        return await ServiceKit.run(components, until: shutdown, drainMs: drainMs, service: service)
    }
}

/// Asks for the shutdown as soon as everything before it runs.
private struct Asker: Component {
    let name = "asker"
    let shutdown: Shutdown

    func run() async throws { shutdown.request("test") }
    func stop() {}
}

/// Notes the health's phase when it starts and when it is stopped.
private struct Watcher: Component {
    let name = "watcher"
    let service: Service
    let seen: Diary
    let shutdown: Shutdown

    func start() async throws { seen.write(service.health.phase.rawValue) }
    func run() async throws { shutdown.request("test") }
    func stop() { seen.write(service.health.phase.rawValue) }
}
