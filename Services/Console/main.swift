// Console: the dashboard and the control plane.
// This file only wires; every decision is in Core.

import ConsoleCore
import ServiceKit

await runService(named: "console", prefix: "CONSOLE_") { reader in
    ConsoleSettings(&reader)
} build: { settings, service in
    try consoleComponents(settings, service)
}
