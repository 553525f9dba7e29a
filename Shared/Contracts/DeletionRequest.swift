/// Who is to be erased: a request names one of these kinds.
public enum DeletionSubjectType: String, Sendable, CaseIterable {
    case user, install
}

/// How far a deletion request has come; the raw values are the Read API's.
public enum DeletionStatus: String, Sendable, CaseIterable {
    case pending, running, done, failed
}

/// Who asked for a deletion.
public enum DeletionSource: String, Sendable, CaseIterable {
    case api, console, fgctl
    /// Made again from the suppression ledger, after a backup older than it was restored.
    case ledger
}

/// A subject that can exist: what is stored of people obeys the same rules.
public struct DeletionSubject: Sendable {
    public let type: DeletionSubjectType
    /// A user id byte for byte, or an install id in lower case.
    public let value: String

    /// Nil for a value that no event could carry: a user id outside 1...128 scalars or with control characters, or an install id that is no UUID.
    public init?(_ type: DeletionSubjectType, _ value: String) {
        self.type = type
        switch type {
        case .user:
            let scalars = value.unicodeScalars
            guard (1...EventLimits.userIDScalarsMax).contains(scalars.count),
                scalars.allSatisfy({ $0.properties.generalCategory != .control })
            else { return nil }
            self.value = value
        case .install:
            guard let id = UUID128(value), id != .zero else { return nil }
            self.value = id.description
        }
    }

    /// The install a subject of that kind names.
    public var install: UUID128? { type == .install ? UUID128(value) : nil }
}
