public import Contracts

/// Why a whole batch was refused, with what helps the client's developer find the reason.
public struct BatchRefusal: Error, Sendable, Equatable {
    public let code: IngestErrorCode
    /// Goes to `details.field`.
    public let field: String?
    /// Goes to `details.issue`.
    public let issue: BatchIssue?
    public let retryAfterSeconds: Int?

    public init(
        _ code: IngestErrorCode,
        field: String? = nil,
        issue: BatchIssue? = nil,
        retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.field = field
        self.issue = issue
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// What is wrong with a field of the batch: a closed list, so that scripts may branch on it.
public enum BatchIssue: String, Sendable, CaseIterable {
    case notAnObject = "not_an_object"
    case notAnArray = "not_an_array"
    case missing
    case invalid
    case duplicate
    case mismatch
    case minItems = "min_items"
    case maxItems = "max_items"
}
