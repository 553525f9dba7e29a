import Contracts

/// A report that cannot be given, because a stored day of it cannot be read.
///
/// The figures without that day would be wrong, and the client can do nothing: it is told of an error of ours, and the operator which day
/// to build anew.
struct UnreadableDay: Error, CustomStringConvertible {
    let app: Int32
    let environment: AppEnvironment
    let damage: DamagedDay

    var description: String { damage.description }
}
