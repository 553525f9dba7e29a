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

    /// Whether the changes since then are all still there.
    func isUsable(nowMs: Int64, ageMsMax: Int64 = IdentityCursor.ageMsMax) -> Bool {
        nowMs >= readAtMs && nowMs - readAtMs < ageMsMax
    }
}
