import Contracts
import JSON

@testable import IngestCore

extension RegisteredApp {
    static func test(archived: Bool = false, platforms: [Platform] = [.ios]) -> RegisteredApp {
        RegisteredApp(id: UUID128(high: 0xA, low: 0xB), isArchived: archived, platforms: platforms)
    }
}

extension RegisteredKey {
    static func test(platform: Platform? = .ios, app: RegisteredApp = .test()) -> RegisteredKey {
        RegisteredKey(id: UUID128(high: 0xC, low: 0xD), platform: platform, app: app)
    }
}

/// What the validator makes of a batch that was received at `receivedAtMs`.
func judge(
    _ batch: ObjectText,
    key: RegisteredKey = .test(),
    receivedAtMs: Int64 = TestTime.receivedAtMs
) throws -> BatchVerdict {
    try JSONParser().withDocument(Array(batch.json.utf8)) { root in
        BatchValidator.validate(try BatchHead(root), key: key, receivedAtMs: receivedAtMs)
    }
}

/// `accepted`, or the code and the field of the rejection, of a batch with this event alone.
func outcome(
    _ event: ObjectText,
    key: RegisteredKey = .test(),
    _ change: (inout ObjectText) -> Void = { _ in }
) throws -> String {
    try judge(BatchText.of([event], change), key: key).outcomes.joined()
}

/// The context that this event alone is accepted with; nil when it is rejected.
func context(
    of event: ObjectText,
    key: RegisteredKey = .test(),
    _ change: (inout ObjectText) -> Void = { _ in }
) throws -> ResolvedContext? {
    let verdict = try judge(BatchText.of([event], change), key: key)
    return verdict.accepted.first.map { verdict.contexts[$0.event.context] }
}

/// Why the members around the events are refused; nil when they are not.
func refusal(of batch: ObjectText) throws -> BatchRefusal? {
    try refusal(ofText: batch.json)
}

func refusal(ofText text: String) throws -> BatchRefusal? {
    do {
        try JSONParser().withDocument(Array(text.utf8)) { root in _ = try BatchHead(root) }
        return nil
    } catch let refusal as BatchRefusal {
        return refusal
    }
}

extension BatchVerdict {
    /// One line an event, in the order of the batch; copies within the batch are `accepted` too.
    var outcomes: [String] {
        let rejections = Dictionary(grouping: rejected, by: \.index).mapValues {
            $0.map { "\($0.code.rawValue) \($0.field)" }.joined(separator: " and ")
        }
        return (0..<acceptedCount + rejected.count).map { rejections[$0] ?? "accepted" }
    }

    var warningCodes: [WarningCode] { warnings.map(\.code) }
}
