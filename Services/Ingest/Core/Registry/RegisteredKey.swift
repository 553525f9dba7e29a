public import Contracts

/// An app as ingest needs to know it.
public struct RegisteredApp: Sendable, Equatable {
    public var id: UUID128
    public var isArchived: Bool
    public var platforms: [Platform]

    public init(id: UUID128, isArchived: Bool = false, platforms: [Platform]) {
        self.id = id
        self.isArchived = isArchived
        self.platforms = platforms
    }

    var onlyPlatform: Platform? { platforms.count == 1 ? platforms.first : nil }
}

/// A write key that has not been revoked, with its app.
public struct RegisteredKey: Sendable, Equatable {
    public var id: UUID128
    /// Nil for the key of any platform.
    public var platform: Platform?
    public var app: RegisteredApp

    public init(id: UUID128, platform: Platform?, app: RegisteredApp) {
        self.id = id
        self.platform = platform
        self.app = app
    }
}
