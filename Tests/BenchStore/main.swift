// Measures storing and closing against Postgres; one mode a run, one line of JSON as the answer. See deploy/lib/bench/aggregate.py.

import AggregatorCore
import Contracts
import Glibc
import JSON
import Postgres
import Schema
import ServiceKit
import Wire

let modes: [String: @Sendable (Bench) async throws -> Void] = [
    "copy": { try await $0.copy() },
    "store": { try await $0.store() },
    "produce": { try await $0.produce() },
    "fill-day": { try await $0.fillDay() },
    "close-day": { try await $0.closeDay() },
    "contexts": { try await $0.contexts() },
]

let arguments = CommandLine.arguments
guard arguments.count == 3, let mode = modes[arguments[1]], let events = Int(arguments[2]) else {
    print("usage: bench-store \(modes.keys.sorted().joined(separator: "|")) EVENTS")
    exit(64)
}
do {
    try await mode(Bench(events: events))
} catch {
    print("\(error)")
    exit(1)
}
