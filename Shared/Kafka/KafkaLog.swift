/// Receives librdkafka's log lines; `level` is syslog's, 0 (emergency) to 7 (debug).
///
/// It is called from any thread, librdkafka's own included, and must neither block nor call the client.
public typealias KafkaLogHandler = @Sendable (_ level: Int, _ facility: String, _ message: String) -> Void

/// Copies one line of C's into `handler`; without a handler nothing is copied.
func forward(
    level: Int32,
    facility: UnsafePointer<CChar>?,
    message: UnsafePointer<CChar>?,
    to handler: KafkaLogHandler?
) {
    guard let handler else { return }
    handler(
        Int(level),
        facility.map { String(cString: $0) } ?? "",
        message.map { String(cString: $0) } ?? ""
    )
}
