// Console: the dashboard and the control plane.
// This file only wires; every decision is in Core.

import ConsoleCore
import ServiceKit

// CONSOLE_URL is where people find the console; shells that sourced the stack's settings have it.
await runService(named: "console", prefix: "CONSOLE_", ignoring: ["CONSOLE_URL"]) { reader in
    ConsoleSettings(&reader)
} build: { settings, service in
    consoleComponents(settings, service)
}
