import Postgres

/// Up to where a copy of an app's people is known to be complete.
///
/// Whatever a snapshot could not see belongs to a transaction at or after its xmin, so the next snapshot reads the changes from there on:
/// a few twice, none never.
struct IdentityCursor: Sendable, Equatable {
    var xmin: Int64
    var readAtMs: Int64

    /// Changes are kept for a day; well before that a copy is read anew.
    static let ageMsMax: Int64 = 12 * 3_600_000

    static func isUsable(_ cursor: IdentityCursor?, nowMs: Int64) -> IdentityCursor? {
        guard let cursor, nowMs - cursor.readAtMs < ageMsMax, nowMs >= cursor.readAtMs else { return nil }
        return cursor
    }
}
