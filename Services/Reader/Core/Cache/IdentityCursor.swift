import Postgres

/// Which changes of an app's people a snapshot saw.
///
/// Changes of transactions before its xmin are settled: they are all seen, or never come. Later ones may be seen while earlier ones are
/// still to come, so those are named one by one. The same state may have two spellings as time goes by; one spelling is one state.
struct IdentityState: Sendable, Equatable {
    /// The latest settled change, by transaction.
    var settled: Int64 = 0
    /// The numbers of changes that were seen though transactions from before them may still be under way, ascending.
    var open: [Int64] = []

    /// For the name of a report's state.
    var tag: String { ([settled] + open).map(String.init).joined(separator: "+") }
}

/// Up to where a copy of an app's people is known to be complete.
///
/// Whatever its snapshot could not see belongs to a transaction at or after its xmin, so the next snapshot reads the changes from there on
/// except those it saw: each once, none never. A transaction that runs for hours thus costs nothing but a longer list.
struct IdentityCursor: Sendable, Equatable {
    var xmin: Int64
    var state = IdentityState()
    var readAtMs: Int64

    /// Changes are kept for a day; well before that a copy is read anew.
    static let ageMsMax: Int64 = 12 * 3_600_000

    /// Whether the changes since then are all still there.
    func isUsable(nowMs: Int64, ageMsMax: Int64 = IdentityCursor.ageMsMax) -> Bool {
        nowMs >= readAtMs && nowMs - readAtMs < ageMsMax
    }
}
