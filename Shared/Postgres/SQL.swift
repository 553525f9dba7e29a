/// A statement whose interpolated values travel as parameters, never as text.
///
/// `"SELECT name FROM apps WHERE id = \(id)"` sends `$1` and the value apart from each other, so a value can
/// never become part of the statement. Fixed text that we build ourselves, such as the name of a partition,
/// goes through `init(unsafe:)`; nothing that a client sent may.
public struct SQL: ExpressibleByStringInterpolation, Sendable, Equatable {
    /// The text between the values: always one piece more than there are values.
    ///
    /// Kept apart so that two statements can be joined and their parameters numbered afterwards.
    private var pieces: [String]
    public private(set) var values: [String?]
    /// Whether a connection may keep the statement's plan for the next time.
    private(set) var mayBePrepared = true

    /// The statement as Postgres sees it, with `$1`, `$2`, … where the values go.
    public var text: String {
        guard values.count > 0 else { return pieces[0] }
        var text = pieces[0]
        for index in values.indices {
            text += "$\(index + 1)"
            text += pieces[index + 1]
        }
        return text
    }

    public init(stringLiteral text: String) {
        pieces = [text]
        values = []
    }

    public init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// The same statement planned anew each time, for tables that are not what they were when a plan was kept.
    public var plannedEachTime: SQL {
        var sql = self
        sql.mayBePrepared = false
        return sql
    }

    /// Text that becomes part of the statement as it is: only for what we wrote ourselves.
    public init(unsafe text: String) {
        self.init(stringLiteral: text)
    }

    public static func + (left: SQL, right: SQL) -> SQL {
        var sum = left
        sum += right
        return sum
    }

    public static func += (left: inout SQL, right: SQL) {
        left.append(text: right.pieces[0])
        left.pieces += right.pieces.dropFirst()
        left.values += right.values
        left.mayBePrepared = left.mayBePrepared && right.mayBePrepared
    }

    fileprivate mutating func append(text: String) {
        pieces[pieces.count - 1] += text
    }

    fileprivate mutating func append(value: String?) {
        values.append(value)
        pieces.append("")
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql: SQL = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) {
            sql.append(text: literal)
        }

        public mutating func appendInterpolation(_ value: some SQLValue) {
            sql.append(value: value.sqlText)
        }

        /// Apart from the one above because Swift warns of optionals that it takes for an oversight.
        public mutating func appendInterpolation(_ value: (some SQLValue)?) {
            sql.append(value: value?.sqlText)
        }

        /// Puts a part of a statement, with its own values, into this one.
        public mutating func appendInterpolation(_ fragment: SQL) {
            sql += fragment
        }
    }
}
