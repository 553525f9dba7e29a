// Ingest: takes batches over HTTP, validates them, publishes to Kafka and answers once the broker has them.
// This file only wires; every decision is in Core.

import IngestCore
import ServiceKit

// INGEST_URL is where clients find ingest; shells that sourced the stack's settings have it.
await runService(named: "ingest", prefix: "INGEST_", ignoring: ["INGEST_URL"]) { reader in
    IngestSettings(&reader)
} build: { settings, service in
    try ingestComponents(settings, service)
}
