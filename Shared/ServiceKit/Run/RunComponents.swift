/// Starts components in order, waits for a shutdown request or for one of them to end, and stops them all.
///
/// They stop in reverse, one at a time, so that a server stops taking requests before the producer under it
/// flushes. What is not stopped `drainMs` after the stop began is left behind, and the report names it.
/// `whenStuck` is called one second after the deadline if this function is still not on its way out, which
/// means that something blocks Swift's threads; only ending the process helps then.
public func run(
    _ components: [any Component],
    until shutdown: Shutdown,
    drainMs: Int,
    service: Service,
    whenStuck: @escaping @Sendable () -> Void = {}
) async -> RunReport {
    var runner = ComponentRunner(components: components, service: service)
    let happenings = runner.happenings
    let deadline = DrainDeadline(drainMs: drainMs, whenStuck: whenStuck) { happenings.yield(.deadline) }
    defer { deadline.cancel() }
    shutdown.onRequest { reason in
        // Here and not below: when Swift's threads are blocked, what is below does not come to run.
        deadline.begin()
        happenings.yield(.stopAsked(reason))
    }

    if await runner.startAll() {
        service.health.enter(.running)
        service.logger.info("started", [.version: BuildInfo.version, .count: components.count])
        await runner.waitForEnd()
    }

    service.health.enter(.draining)
    deadline.begin()
    await runner.stopAll()
    return runner.report
}

/// What the runner waits for.
enum Happening: Sendable {
    case started(Int)
    case ended(Int, (any Error)?)
    case stopAsked(String)
    case deadline
}

/// The state of one run: which components were launched and which have ended.
///
/// All news arrive through one stream and are read by one task, so there is nothing to lock.
private struct ComponentRunner {
    let components: [any Component]
    let service: Service
    let happenings: AsyncStream<Happening>.Continuation
    var report = RunReport()

    private var iterator: AsyncStream<Happening>.AsyncIterator
    private var launched = 0
    private var ended: Set<Int> = []
    private var isPastDeadline = false
    private var isStopping = false

    init(components: [any Component], service: Service) {
        self.components = components
        self.service = service
        let (stream, continuation) = AsyncStream<Happening>.makeStream()
        iterator = stream.makeAsyncIterator()
        happenings = continuation
    }

    /// Answers false when the run must stop before every component has started.
    mutating func startAll() async -> Bool {
        for index in components.indices {
            launch(index)
            var isStarted = false
            while !isStarted {
                guard let happening = await iterator.next() else { return false }
                note(happening)
                if isStopping { return false }
                if case .started(index) = happening { isStarted = true }
            }
        }
        return true
    }

    mutating func waitForEnd() async {
        while !isStopping, let happening = await iterator.next() { note(happening) }
    }

    /// Stops what was launched, in reverse.
    mutating func stopAll() async {
        for index in (0..<launched).reversed() {
            let component = components[index]
            component.stop()
            while !ended.contains(index), !isPastDeadline, let happening = await iterator.next() {
                note(happening)
            }
            guard ended.contains(index) else {
                report.overdue = component.name
                service.logger.error("drain_deadline_passed", [.component: component.name])
                return
            }
            service.logger.debug("component_stopped", [.component: component.name])
        }
    }

    private mutating func launch(_ index: Int) {
        let component = components[index]
        let happenings = happenings
        launched = index + 1
        service.logger.debug("component_starting", [.component: component.name])
        Task {
            do {
                try await component.start()
                happenings.yield(.started(index))
                try await component.run()
                happenings.yield(.ended(index, nil))
            } catch {
                happenings.yield(.ended(index, error))
            }
        }
    }

    private mutating func note(_ happening: Happening) {
        switch happening {
        case .started:
            break
        case .stopAsked(let reason):
            service.logger.info("stopping", [.reason: reason])
            isStopping = true
        case .deadline:
            isPastDeadline = true
        case .ended(let index, let error):
            ended.insert(index)
            let name = components[index].name
            if let error {
                report.failures.append(RunReport.Failure(component: name, error: error))
                service.logger.error("component_failed", [.component: name, .error: "\(error)"])
            } else if !isStopping {
                service.logger.warn("component_ended", [.component: name])
            }
            isStopping = true
        }
    }
}
