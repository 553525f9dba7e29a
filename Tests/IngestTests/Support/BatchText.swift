/// A JSON object as text, member by member, so that a test can hold what no encoder would write.
struct ObjectText: Sendable {
    /// Names and values as they stand in the text; names may repeat.
    var members: [(name: String, json: String)]

    init(_ members: [(name: String, json: String)] = []) {
        self.members = members
    }

    /// The JSON of a member; nil removes it.
    subscript(name: String) -> String? {
        get { members.first { $0.name == name }?.json }
        set {
            guard let newValue else { return members.removeAll { $0.name == name } }
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].json = newValue
            } else {
                members.append((name, newValue))
            }
        }
    }

    var json: String {
        "{" + members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
    }

    func changed(_ change: (inout ObjectText) -> Void) -> ObjectText {
        var changed = self
        change(&changed)
        return changed
    }
}

/// Text as a JSON string; only what the tests' texts need is escaped.
func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}

/// Makes valid events; a test changes what it is about.
enum EventText {
    /// A start that happened when it was sent.
    static func start(_ number: Int = 1, _ change: (inout ObjectText) -> Void = { _ in }) -> ObjectText {
        event("session_start", number).changed(change)
    }

    static func end(_ number: Int = 1, _ change: (inout ObjectText) -> Void = { _ in }) -> ObjectText {
        event("session_end", number).changed {
            $0["duration_ms"] = "5000"
            change(&$0)
        }
    }

    private static func event(_ name: String, _ number: Int) -> ObjectText {
        ObjectText([
            ("insert_id", quoted(insertID(number))),
            ("name", quoted(name)),
            ("timestamp", quoted(TestTime.text)),
            ("install_id", quoted(installID(1))),
            ("session_id", quoted(sessionID(number))),
        ])
    }

    static func insertID(_ number: Int) -> String { id("aaaaaaaa", number) }
    static func installID(_ number: Int) -> String { id("bbbbbbbb", number) }
    static func sessionID(_ number: Int) -> String { id("cccccccc", number) }

    private static func id(_ kind: String, _ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "\(kind)-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

/// The moment of the tests: sent and received in the same millisecond unless a test says otherwise.
enum TestTime {
    static let text = "2026-10-14T09:15:02.000Z"
    static let receivedAtMs: Int64 = 1_791_969_302_000
    static let dayMs: Int64 = 86_400_000
}

/// Makes batches.
enum BatchText {
    static func of(_ events: [ObjectText], _ change: (inout ObjectText) -> Void = { _ in }) -> ObjectText {
        ofValues(events.map(\.json), change)
    }

    /// - Parameter values: the elements of `events`, of whatever kind.
    static func ofValues(
        _ values: [String],
        _ change: (inout ObjectText) -> Void = { _ in }
    ) -> ObjectText {
        ObjectText([
            ("sent_at", quoted(TestTime.text)),
            ("events", "[" + values.joined(separator: ",") + "]"),
        ])
        .changed(change)
    }
}
