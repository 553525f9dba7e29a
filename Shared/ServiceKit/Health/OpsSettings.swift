/// Where the operations port listens.
///
/// Loopback unless a setting says otherwise: metrics and readiness tell strangers too much.
public struct OpsSettings: Sendable, Equatable {
    public let address: String
    public let port: Int

    public init(address: String = "127.0.0.1", port: Int) {
        self.address = address
        self.port = port
    }

    /// Reads `PREFIX_METRICS_ADDRESS` and `PREFIX_METRICS_PORT`; `prefix` ends in an underscore.
    public init(_ reader: inout SettingsReader, prefix: String, portDefault: Int) {
        address = reader.string(
            "\(prefix)METRICS_ADDRESS",
            default: "127.0.0.1",
            help: "Address of the operations port (health, readiness, metrics, version)."
        )
        port = reader.integer(
            "\(prefix)METRICS_PORT",
            default: portDefault,
            in: 0...65_535,
            help: "The operations port; 0 lets the system choose."
        )
    }
}
