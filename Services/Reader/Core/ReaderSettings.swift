public import ServiceKit

/// Everything an operator may change about the reader; `deploy/reader.env` lists the same names.
public struct ReaderSettings: Sendable {
    public let address: String
    public let port: Int
    public let threads: Int
    public let databaseURL: Secret
    public let connectionsMax: Int
    public let statementMsMax: Int
    /// Bytes of closed days and people kept in memory at most.
    public let cacheBytesMax: Int
    /// Readers that share a key's requests a second; 0 counts those that live.
    public let rateInstances: Int
    public let ops: OpsSettings

    public init(_ reader: inout SettingsReader) {
        address = reader.string(
            "READER_ADDRESS",
            default: "127.0.0.1",
            help: "Address to listen on; 0.0.0.0 for all."
        )
        port = reader.integer("READER_PORT", default: 8081, in: 0...65_535, help: "Port to listen on.")
        threads = reader.integer(
            "READER_THREADS",
            default: 2,
            in: 1...256,
            help: "Threads that serve connections."
        )
        databaseURL = reader.secret("DATABASE_URL", help: "Postgres, as the role foreground_reader.")
        connectionsMax = reader.integer(
            "READER_DATABASE_CONNECTIONS_MAX",
            default: 8,
            in: 1...500,
            help: "Connections to Postgres at most."
        )
        statementMsMax = reader.durationMs(
            "READER_STATEMENT_MS_MAX",
            default: 30_000,
            in: 100...600_000,
            help: "How long one statement may take."
        )
        cacheBytesMax = reader.integer(
            "READER_CACHE_BYTES_MAX",
            default: 1_073_741_824,
            in: 1_048_576...1_099_511_627_776,
            help: "Bytes of closed days and people kept in memory at most."
        )
        rateInstances = reader.integer(
            "READER_RATE_INSTANCES",
            default: 0,
            in: 0...30,
            help:
                "Readers that share a key's 10 requests a second; 0 counts those that live by their heartbeats."
        )
        ops = OpsSettings(&reader, prefix: "READER_", portDefault: 9081)
    }
}
