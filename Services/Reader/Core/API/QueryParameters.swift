import Calendar
import Contracts
import HTTP

/// The parameters of a request, each of which must be asked for: what nobody asked for is refused.
///
/// A misspelt filter would otherwise answer with the figures of everybody.
struct QueryParameters {
    let query: HTTPQuery
    private var asked: Set<String> = []

    init(_ raw: String?) throws(ReadRefusal) {
        do throws(HTTPDecodingError) {
            query = try HTTPQuery(raw: raw)
        } catch {
            throw ReadRefusal(.invalidRequest, field: "query")
        }
    }

    /// Every value of a parameter that may be repeated.
    mutating func values(_ name: String) -> [String] {
        asked.insert(name)
        return query.values(name)
    }

    /// The one value of a parameter; more than one is refused, since readers differ in which they believe.
    mutating func value(_ name: String) throws(ReadRefusal) -> String? {
        let all = values(name)
        guard all.count <= 1 else { throw ReadRefusal(.invalidRequest, field: name) }
        return all.first
    }

    mutating func day(_ name: String) throws(ReadRefusal) -> LocalDay {
        guard let text = try value(name), let day = LocalDay(text) else {
            throw ReadRefusal(.invalidRequest, field: name)
        }
        return day
    }

    mutating func choice<Choice: RawRepresentable<String>>(
        _ name: String,
        default fallback: Choice
    ) throws(ReadRefusal) -> Choice {
        guard let text = try value(name) else { return fallback }
        guard let choice = Choice(rawValue: text) else { throw ReadRefusal(.invalidRequest, field: name) }
        return choice
    }

    /// A whole number in plain digits.
    mutating func integer(
        _ name: String,
        default fallback: Int,
        in range: ClosedRange<Int>
    ) throws(ReadRefusal) -> Int {
        guard let text = try value(name) else { return fallback }
        guard !text.isEmpty, text.utf8.count <= 10, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let number = Int(text), range.contains(number)
        else { throw ReadRefusal(.invalidRequest, field: name) }
        return number
    }

    mutating func flag(_ name: String) throws(ReadRefusal) -> Bool {
        switch try value(name) {
        case nil, "false": false
        case "true": true
        default: throw ReadRefusal(.invalidRequest, field: name)
        }
    }

    /// Call last: refuses parameters that no one has asked for.
    func finish() throws(ReadRefusal) {
        for pair in query.pairs where !asked.contains(pair.name) {
            throw ReadRefusal(.invalidRequest, field: pair.name)
        }
    }
}
