import Foundation

/// A JSON value, to compare and to build.
enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    init(parsing bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
    }

    /// Members come in a fixed order.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    /// `null` when there is no such member.
    subscript(_ name: String) -> JSON {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }

    subscript(_ index: Int) -> JSON {
        guard index < list.count else { return .null }
        return list[index]
    }

    var string: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    var double: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    var int: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(exactly: number)
    }

    var list: [JSON] {
        guard case .list(let elements) = self else { return [] }
        return elements
    }

    var names: Set<String> {
        guard case .object(let members) = self else { return [] }
        return Set(members.keys)
    }

    func without(_ names: String...) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !names.contains($0.key) })
    }
}

extension JSON: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        // Whole numbers without a fraction, as clients write them.
        case .number(let value):
            if let whole = Int64(exactly: value) {
                try container.encode(whole)
            } else {
                try container.encode(value)
            }
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(nilLiteral: ()) { self = .null }
    init(arrayLiteral elements: JSON...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { first, _ in first })
    }
}
