public import ServiceKit

/// Everything an operator may change about the console; `deploy/console.env` lists the same names.
public struct ConsoleSettings: Sendable {
    public let address: String
    public let port: Int
    public let databaseURL: Secret
    public let ops: OpsSettings

    public init(_ reader: inout SettingsReader) {
        address = reader.string(
            "CONSOLE_ADDRESS",
            default: "127.0.0.1",
            help: "Address to listen on; 0.0.0.0 for all."
        )
        port = reader.integer("CONSOLE_PORT", default: 8082, in: 0...65_535, help: "Port to listen on.")
        databaseURL = reader.secret("DATABASE_URL", help: "Postgres, as the role foreground_console.")
        ops = OpsSettings(&reader, prefix: "CONSOLE_", portDefault: 9082)
    }
}
