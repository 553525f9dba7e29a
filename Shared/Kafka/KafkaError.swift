import CRDKafka

/// A failure librdkafka or a broker reported, with what the caller may do about it.
///
/// `name` is librdkafka's permanent short name of the code (`MSG_SIZE_TOO_LARGE`, `_QUEUE_FULL`); names that
/// start with an underscore come from the client, the others from a broker.
public struct KafkaError: Error, Sendable, CustomStringConvertible {
    public let code: Int32
    public let name: String
    public let reason: String
    /// The same message or call may succeed later, through this client or one built anew.
    public let isRetriable: Bool
    /// The client can no longer be used: close it and build another.
    public let isFatal: Bool

    public var description: String { "kafka \(name) (\(code)): \(reason)" }

    /// Names the code and judges it; `reason` defaults to librdkafka's own text.
    public init(code: Int32, reason: String? = nil) {
        self.init(rd_kafka_resp_err_t(rawValue: code), reason: reason)
    }

    init(_ code: rd_kafka_resp_err_t, reason: String? = nil, isFatal: Bool = false) {
        self.code = code.rawValue
        self.name = String(cString: rd_kafka_err2name(code))
        self.reason = reason ?? String(cString: rd_kafka_err2str(code))
        self.isFatal = isFatal || code == RD_KAFKA_RESP_ERR__FATAL
        self.isRetriable = !self.isFatal && code.mayPass
    }

    /// Takes over `error` and frees it.
    init(taking error: OpaquePointer) {
        defer { rd_kafka_error_destroy(error) }
        self.init(
            rd_kafka_error_code(error),
            reason: String(cString: rd_kafka_error_string(error)),
            isFatal: rd_kafka_error_is_fatal(error) == 1
        )
    }

    /// A setting or argument that was refused before any broker saw it.
    init(refused reason: String) {
        self.init(RD_KAFKA_RESP_ERR__INVALID_ARG, reason: reason)
    }

    static let closed = KafkaError(RD_KAFKA_RESP_ERR__DESTROY, reason: "the client is closed")

    /// Nil for success.
    static func from(_ code: rd_kafka_resp_err_t) -> KafkaError? {
        code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code)
    }

    /// The error that ended `client`, or nil while it works.
    static func fatal(of client: OpaquePointer) -> KafkaError? {
        var reason = [CChar](repeating: 0, count: 512)
        let code = rd_kafka_fatal_error(client, &reason, reason.count)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        return KafkaError(code, reason: text(reason), isFatal: true)
    }
}

/// The characters before the terminating zero.
func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

func check(_ code: rd_kafka_resp_err_t) throws(KafkaError) {
    if let error = KafkaError.from(code) { throw error }
}
