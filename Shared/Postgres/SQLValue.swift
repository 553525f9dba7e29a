/// A value that may be sent to Postgres as a parameter.
///
/// Parameters travel in Postgres' text form and without a type: the server infers it from the statement, so
/// write `\(day)::date` where it cannot.
public protocol SQLValue {
    /// The value as Postgres reads it, or nil for NULL.
    var sqlText: String? { get }
}

extension String: SQLValue { public var sqlText: String? { self } }
extension Int: SQLValue { public var sqlText: String? { String(self) } }
extension Int64: SQLValue { public var sqlText: String? { String(self) } }
extension Int32: SQLValue { public var sqlText: String? { String(self) } }
extension Int16: SQLValue { public var sqlText: String? { String(self) } }
extension Bool: SQLValue { public var sqlText: String? { self ? "t" : "f" } }

/// Swift's shortest text reads back as the same bits in Postgres; `nan` and `inf` are spelled alike in both.
extension Double: SQLValue { public var sqlText: String? { description } }

extension Optional: SQLValue where Wrapped: SQLValue {
    public var sqlText: String? { flatMap(\.sqlText) }
}

extension Array: SQLValue where Element: SQLArrayElement {
    public var sqlText: String? { Element.sqlArrayText(self) }
}
