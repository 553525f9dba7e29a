import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit

/// What a report is asked about, as a query for the reader and as conditions for the oracle.
struct OracleQuestion: Sendable {
    static let units = ["persons", "installs"]
    static let fields = ["platform", "app_version", "os_name", "country"]

    var first: LocalDay
    var last: LocalDay
    var unit = "persons"
    var environment = AppEnvironment.production
    /// Values by field; the empty text stands for "absent".
    var filter: [String: [String]] = [:]

    var query: String {
        let values = filter.sorted { $0.key < $1.key }.flatMap { field, values in
            values.map { "&\(field)=\($0)" }
        }
        return "from=\(first)&to=\(last)&unit=\(unit)&environment=\(environment.rawValue)"
            + values.joined()
    }

    /// Of a context's columns.
    var matches: SQL {
        var condition: SQL = "true"
        for (field, values) in filter {
            condition += " AND coalesce(\(SQL(unsafe: field)), '') = ANY (\(values)::text[])"
        }
        return condition
    }

    /// The column that says who somebody is.
    var who: SQL { SQL(unsafe: unit) }

    var within: SQL { "BETWEEN \(first)::date AND \(last)::date" }

    var dayCount: Int { first.distance(to: last) + 1 }

    /// As many days directly before.
    var previous: OracleQuestion {
        var question = self
        question.first = first.advanced(by: -dayCount)
        question.last = first.advanced(by: -1)
        return question
    }

    func with(_ field: String, _ value: String) -> OracleQuestion {
        var question = self
        question.filter[field] = [value]
        return question
    }

    /// None, one that asks for what is absent, and one of several fields and values.
    static func filters(using random: inout SplitMix64) -> [[String: [String]]] {
        let values = [
            "platform": ["ios", "android", "web"], "app_version": ["", "1.0", "2.0"],
            "os_name": ["", "iOS", "Android"], "country": ["", "DE", "US", "BR"],
        ]
        var some: [String: [String]] = [:]
        for field in fields.shuffled(using: &random).prefix(2) {
            some[field] = values[field].map { Array($0.shuffled(using: &random).prefix(2)) }
        }
        let absent = fields.dropFirst().randomElement(using: &random) ?? "country"
        return [[:], [absent: [""]], some]
    }
}
