/// What reads bytes of somebody else, each as one function of any bytes.
///
/// `deploy/dev fuzz` runs them under libFuzzer; the ordinary tests run them over the stored corpus.
enum FuzzTarget: String, CaseIterable {
    case batch
    case message
    case dayBlock = "day-block"
    case text

    /// - Throws: `FuzzFinding` when a promise is broken; a trap is a finding too.
    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .batch: try BatchTarget.run(bytes)
        case .message: try MessageTarget.run(bytes)
        case .dayBlock: try DayBlockTarget.run(bytes)
        case .text: try TextTarget.run(bytes)
        }
    }
}

/// A promise that does not hold for some input.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// - Throws: `FuzzFinding` with `promise` unless `condition` holds.
func expect(_ condition: Bool, _ promise: @autoclosure () -> String) throws {
    if !condition { throw FuzzFinding(promise()) }
}
