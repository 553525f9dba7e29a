import HTTP
import JSON

/// The members of a request's JSON object, each of which must be asked for: what nobody asked for is refused.
struct RequestFields: Sendable {
    private enum Value: Sendable {
        case text(String)
        case list([String])
        case null
        case other
    }

    private var values: [String: Value] = [:]
    private var asked: Set<String> = []

    init() {}

    /// An empty body is an empty object.
    init(_ request: HTTPRequest) throws(ConsoleRefusal) {
        let body = request.body
        guard !body.isEmpty else { return }
        // Forms of other sites cannot send this type without asking first.
        let type = (request.headers["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased()
        guard type.split(separator: " ").joined() == "application/json" else {
            throw ConsoleRefusal(
                .invalidRequest,
                field: "Content-Type",
                reason: "must be application/json"
            )
        }
        let parsed: [String: Value]?
        do {
            parsed = try JSONParser(depthMax: 8, bytesMax: 1 << 20).withDocument(body, Self.members)
        } catch {
            parsed = nil
        }
        guard let parsed else {
            throw ConsoleRefusal(.invalidRequest, field: "body", reason: "is no JSON object")
        }
        values = parsed
    }

    /// Nil unless it is an object whose names are all different.
    private static func members(_ root: JSONValue) -> [String: Value]? {
        guard root.isObject else { return nil }
        var values: [String: Value] = [:]
        for (key, value) in root.members {
            let name = String(decoding: key, as: UTF8.self)
            guard values.updateValue(read(value), forKey: name) == nil else { return nil }
        }
        return values
    }

    private static func read(_ value: JSONValue) -> Value {
        if value.isNull { return .null }
        if let text = value.string { return .text(text) }
        guard value.isArray else { return .other }
        var list: [String] = []
        for element in value.elements {
            guard let text = element.string else { return .other }
            list.append(text)
        }
        return .list(list)
    }

    mutating func text(_ name: String) throws(ConsoleRefusal) -> String {
        guard let text = try optionalText(name) else {
            throw ConsoleRefusal(.invalidRequest, field: name, reason: "is missing")
        }
        return text
    }

    /// Nil for a member that is absent or null.
    mutating func optionalText(_ name: String) throws(ConsoleRefusal) -> String? {
        asked.insert(name)
        switch values[name] {
        case nil, .null: return nil
        case .text(let text) where !text.unicodeScalars.contains("\0"): return text
        default: throw ConsoleRefusal(.invalidRequest, field: name, reason: "must be a text")
        }
    }

    mutating func list(_ name: String) throws(ConsoleRefusal) -> [String]? {
        asked.insert(name)
        switch values[name] {
        case nil, .null: return nil
        case .list(let list): return list
        default: throw ConsoleRefusal(.invalidRequest, field: name, reason: "must be a list of texts")
        }
    }

    /// Call last.
    func finish() throws(ConsoleRefusal) {
        for name in values.keys.sorted() where !asked.contains(name) {
            throw ConsoleRefusal(.invalidRequest, field: name, reason: "is not known here")
        }
    }
}
