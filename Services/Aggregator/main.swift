// Aggregator: consumes the events topic into Postgres, each event once, and closes days.
// This file only wires; every decision is in Core.

import AggregatorCore
import ServiceKit

await runService(named: "aggregator", prefix: "AGGREGATOR_") { reader in
    AggregatorSettings(&reader)
} build: { settings, service in
    try await ErasureKey.refuseForeign(settings)
    return try aggregatorComponents(settings, service)
}
