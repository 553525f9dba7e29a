public import Contracts

/// Why a request to the Read API is refused.
public struct ReadRefusal: Error, Sendable, Equatable {
    public let code: ReadErrorCode
    /// Goes to `details.field`.
    public let field: String?
    public let retryAfterSeconds: Int?
    /// The methods that would have been taken, where the code is about methods.
    public let allow: String?

    public init(
        _ code: ReadErrorCode,
        field: String? = nil,
        retryAfterSeconds: Int? = nil,
        allow: String? = nil
    ) {
        self.allow = allow
        self.code = code
        self.field = field
        self.retryAfterSeconds = retryAfterSeconds
    }
}
