// A service that does nothing, for tests of exit codes: PROBE_MODE says how it ends.

import Glibc
import ServiceKit

enum Mode: String, CaseIterable, Sendable {
    /// Runs until it is asked to stop.
    case wait
    /// Throws after the start.
    case fail
    /// Throws while it is built.
    case refuse
    /// Waits for ever while it is built.
    case hangBuilding = "hang_building"
    /// Ignores `stop`.
    case overstay
    /// Ignores `stop` and blocks every thread of Swift's pool.
    case block
}

struct ProbeError: Error {}

struct Probe: Component {
    let name = "probe"
    let mode: Mode
    let stopped = AsyncStream<Void>.makeStream()

    func run() async throws {
        if mode == .fail { throw ProbeError() }
        if mode == .block { for _ in 0..<256 { Task { sleep(60) } } }
        print("ready")
        fflush(nil)
        for await _ in stopped.stream {}
    }

    func stop() {
        if mode == .wait { stopped.continuation.finish() }
    }
}

await runService(named: "probe", prefix: "PROBE_") { reader in
    _ = reader.optionalSecret("PROBE_TOKEN", help: "Not used.")
    _ = reader.integer("PROBE_PORT", default: 8080, in: 0...65_535, help: "Not used.")
    return reader.choice("PROBE_MODE", default: Mode.wait, help: "How the probe ends.")
} build: { mode, _ in
    if mode == .refuse { throw ProbeError() }
    if mode == .hangBuilding {
        print("ready")
        fflush(nil)
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }
    return [Probe(mode: mode)]
}
