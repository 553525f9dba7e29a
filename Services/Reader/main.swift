// Reader: serves the Read API from closed days.
// This file only wires; every decision is in Core.

import ReaderCore
import ServiceKit

await runService(named: "reader", prefix: "READER_") { reader in
    ReaderSettings(&reader)
} build: { settings, service in
    readerComponents(settings, service)
}
