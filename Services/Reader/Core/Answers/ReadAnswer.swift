/// What an operation answers, before it takes its way to the client.
///
/// The body is made when it is asked for: a client that has it already is told so instead.
struct ReadAnswer: Sendable {
    /// How a client may find out that what it has is still right.
    enum Validity: Sendable {
        /// Nothing may be kept.
        case moment
        /// As long as the body is the same.
        case content
        /// As long as what this text names is the same; see `AnswerState`.
        case state(String)
    }

    var status = 200
    var format = AnswerFormat.json
    var validity: Validity
    /// The request headers, besides `Accept-Encoding`, that the body depends on.
    var varies: [String] = []
    /// Offered for saving the answer.
    var fileName: String?
    /// Further headers.
    var headers: [(name: String, value: String)] = []
    var body: @Sendable () -> [UInt8]
}

extension ReadAnswer {
    /// An answer about the moment it was asked for.
    static func moment(_ body: [UInt8], status: Int = 200) -> ReadAnswer {
        ReadAnswer(status: status, validity: .moment) { body }
    }
}
