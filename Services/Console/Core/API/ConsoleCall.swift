import Contracts
import HTTP

/// One request to the control plane.
struct ConsoleCall: Sendable {
    let request: HTTPRequest
    /// The path's variable segments, by the names the operation gives them.
    let path: [String: String]
    let query: [String: String]
    let fields: RequestFields

    /// The app of the path.
    ///
    /// - Throws: `app_not_found`: an id that is no UUID names nothing.
    func appID() throws(ConsoleRefusal) -> UUID128 {
        guard let id = path["app_id"].flatMap({ UUID128($0) }) else { throw ConsoleRefusal(.appNotFound) }
        return id
    }

    /// Another id of the path.
    ///
    /// - Throws: `not_found`.
    func id(_ name: String) throws(ConsoleRefusal) -> UUID128 {
        guard let id = path[name].flatMap({ UUID128($0) }) else { throw ConsoleRefusal(.notFound) }
        return id
    }

    /// A whole number of the query.
    ///
    /// - Throws: `invalid_request`.
    func number(_ name: String, in range: ClosedRange<Int64>) throws(ConsoleRefusal) -> Int64? {
        guard let text = query[name] else { return nil }
        // Digits only: `+1` and ` 1` are spellings that nobody needs.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
            range.contains(number)
        else {
            throw ConsoleRefusal(
                .invalidRequest,
                field: name,
                reason: "must be a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }
}
