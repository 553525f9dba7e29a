import Forwarding
public import ServiceKit

/// Everything an operator may change about the console; `deploy/console.env` lists the same names.
public struct ConsoleSettings: Sendable {
    public let address: String
    public let port: Int
    public let threads: Int
    public let databaseURL: Secret
    public let connectionsMax: Int
    public let statementMsMax: Int
    /// Where people reach the console; with https the cookie is sent over TLS only.
    public let consoleURL: String
    let sessions: SessionLimits
    let trustedProxies: TrustedProxies
    public let ingestURL: String
    public let readURL: String
    public let adminEmail: String?
    public let adminPassword: Secret?
    public let pagesFolder: String
    public let chartFile: String
    public let cacheBytesMax: Int
    public let ops: OpsSettings

    public init(_ reader: inout SettingsReader) {
        address = reader.string(
            "CONSOLE_ADDRESS",
            default: "127.0.0.1",
            help: "Address to listen on; 0.0.0.0 for all."
        )
        port = reader.integer("CONSOLE_PORT", default: 8082, in: 0...65_535, help: "Port to listen on.")
        threads = reader.integer(
            "CONSOLE_THREADS",
            default: 1,
            in: 1...256,
            help: "Threads that serve connections."
        )
        databaseURL = reader.secret("DATABASE_URL", help: "Postgres, as the role foreground_console.")
        connectionsMax = reader.integer(
            "CONSOLE_DATABASE_CONNECTIONS_MAX",
            default: 8,
            in: 1...500,
            help: "Connections to Postgres at most."
        )
        statementMsMax = reader.durationMs(
            "CONSOLE_STATEMENT_MS_MAX",
            default: 30_000,
            in: 100...600_000,
            help: "How long one statement may take."
        )
        consoleURL = Self.url(
            "CONSOLE_URL",
            default: "http://127.0.0.1:8082",
            help: "Where people reach the console; with https the cookie is sent over TLS only.",
            &reader
        )
        sessions = SessionLimits(
            idleMsMax: reader.durationMs(
                "CONSOLE_SESSION_IDLE_MS_MAX",
                default: 604_800_000,
                in: 60_000...31_536_000_000,
                help: "How long somebody stays signed in without looking."
            ),
            ageMsMax: reader.durationMs(
                "CONSOLE_SESSION_AGE_MS_MAX",
                default: 2_592_000_000,
                in: 60_000...31_536_000_000,
                help: "How long somebody stays signed in at most."
            )
        )
        trustedProxies = TrustedProxies("CONSOLE_TRUSTED_PROXIES", &reader)
        ingestURL = Self.url(
            "INGEST_PUBLIC_URL",
            default: "http://127.0.0.1:8080",
            help: "Where apps send to, as snippets show it.",
            &reader
        )
        readURL = Self.url(
            "READ_PUBLIC_URL",
            default: "http://127.0.0.1:8081",
            help: "Where scripts read from, as copied requests show it.",
            &reader
        )
        adminEmail = reader.optionalString(
            "ADMIN_EMAIL",
            help: "Address of the first account, made when there is none."
        )
        adminPassword = reader.optionalSecret("ADMIN_PASSWORD", help: "Password of the first account.")
        pagesFolder = reader.path(
            "CONSOLE_PAGES",
            default: "/usr/share/foreground/console",
            help: "Folder of the dashboard's files."
        )
        chartFile = reader.path(
            "CONSOLE_CHART_FILE",
            default: "/usr/share/javascript/chart.js/chart.min.js",
            help: "Chart.js, from the package libjs-chart.js."
        )
        cacheBytesMax = reader.integer(
            "CONSOLE_CACHE_BYTES_MAX",
            default: 536_870_912,
            in: 1_048_576...1_099_511_627_776,
            help: "Bytes of closed days and people kept in memory at most."
        )
        ops = OpsSettings(&reader, prefix: "CONSOLE_", portDefault: 9082)
    }

    /// Without a slash at the end, so that paths can follow.
    private static func url(
        _ name: String,
        default fallback: String,
        help: String,
        _ reader: inout SettingsReader
    ) -> String {
        let text = reader.string(name, default: fallback, help: help)
        let url = text.hasSuffix("/") ? String(text.dropLast()) : text
        let parts = url.split(separator: "/", omittingEmptySubsequences: false)
        let isURL = parts.count >= 3 && ["http:", "https:"].contains(parts[0]) && parts[1].isEmpty
        if !isURL || parts[2].isEmpty {
            reader.problem(name, "must be a URL such as https://analytics.example.com, not '\(text)'")
        }
        return url
    }
}
