// Ingest: takes batches over HTTP, validates them, publishes to Kafka and answers once the broker has them.
// This file only wires; every decision is in Core.

import IngestCore
import ServiceKit

await runService(named: "ingest", prefix: "INGEST_") { reader in
    IngestSettings(&reader)
} build: { settings, service in
    try ingestComponents(settings, service)
}
