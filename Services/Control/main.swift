// fgctl: operates an installation from a terminal or a script.
// This file only wires; every command is in Core.

import ControlCore
import Foundation
import ServiceKit

let tool = CommandLineTool(
    environment: ProcessEnvironment.read(),
    write: { FileHandle.standardOutput.write(Data($0.utf8)) },
    complain: { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
)
exit(await tool.run(Array(CommandLine.arguments.dropFirst())))
