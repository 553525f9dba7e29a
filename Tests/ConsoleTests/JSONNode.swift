import Foundation
import TestSupport

/// Any JSON, read by path.
struct JSONNode {
    let value: Any?
    private let root: Any?

    init(_ value: Any?, root: Any? = nil) {
        self.value = value
        self.root = root ?? value
    }

    init(_ bytes: some Sequence<UInt8>) throws {
        self.init(try JSONSerialization.jsonObject(with: Data(bytes)))
    }

    /// A reference is followed.
    subscript(_ name: String) -> JSONNode {
        let found = JSONNode((value as? [String: Any])?[name], root: root)
        guard let reference = (found.value as? [String: Any])?["$ref"] as? String else { return found }
        return reference.split(separator: "/").dropFirst().reduce(JSONNode(root)) { $0[String($1)] }
    }

    var names: [String] { ((value as? [String: Any])?.keys.sorted()) ?? [] }
    var list: [JSONNode] { (value as? [Any] ?? []).map { JSONNode(["it": $0], root: root)["it"] } }
    var texts: [String] { value as? [String] ?? [] }
    var text: String? { value as? String }
    var number: Int? { value as? Int }
    var isNull: Bool { value is NSNull }
    var isThere: Bool { value != nil }
}

extension HTTPAnswer {
    /// The body's JSON; empty for anything else.
    var json: JSONNode { (try? JSONNode(Array(body.utf8))) ?? JSONNode(nil) }

    var errorCode: String? { json["error"]["code"].text }
    var errorField: String? { json["error"]["details"]["field"].text }
    var errorReason: String? { json["error"]["details"]["reason"].text }

    /// The cookie that was set, as a browser sends it back; nil without one.
    var cookie: String? {
        header("Set-Cookie")?.split(separator: ";").first.map(String.init)
    }
}
