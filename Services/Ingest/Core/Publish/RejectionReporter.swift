import Contracts
import HTTP
import Kafka
public import ServiceKit
import Wire

/// Tells the Integration page what was turned away, over the rejections topic.
///
/// Nobody waits for it: an app's own answer says the same at once, so when the broker is slow these messages are the first to be dropped, and
/// counted.
public final class RejectionReporter: Sendable {
    private let publisher: EventPublisher
    private let topic: String
    private let registry: Registry
    private let clock: any WallClock
    private let dropped: Counter
    /// Beyond this many messages waiting for the broker, events go first.
    private static let queuedMax = 50_000

    public init(_ publisher: EventPublisher, registry: Registry, settings: IngestSettings, service: Service) {
        self.publisher = publisher
        self.registry = registry
        topic = settings.rejectionsTopic
        clock = service.wallClock
        dropped = service.metrics.counter(
            "foreground_ingest_rejection_reports_dropped_total",
            help: "Reports for the Integration page that were not published."
        )
    }

    func report(_ rejected: [RejectedEvent], app: UUID128, receivedAtMs: Int64) {
        guard !rejected.isEmpty else { return }
        let items = rejected.map { rejection in
            RejectionMessage.Item(
                code: rejection.code.rawValue,
                field: Self.withoutIndex(rejection.field),
                insertID: rejection.insertID,
                platform: rejection.platform,
                appVersion: rejection.appVersion
            )
        }
        publish(RejectionMessage(appID: app, receivedAtMs: receivedAtMs, items: items))
    }

    /// Reports a batch refused as a whole, if its key tells whose it was.
    func report(_ refusal: BatchRefusal, key: RegisteredKey?, head: HTTPRequestHead?) {
        guard refusal.code.status < 500, let known = key ?? self.key(of: head) else { return }
        let item = RejectionMessage.Item(
            code: refusal.code.rawValue,
            field: refusal.field,
            platform: known.platform
        )
        publish(RejectionMessage(appID: known.app.id, receivedAtMs: clock.nowMs(), items: [item]))
    }

    private func key(of head: HTTPRequestHead?) -> RegisteredKey? {
        guard let text = try? RequestChecks.appKey(head?.headers ?? HTTPHeaders([])),
            case .known(let key) = registry.find(text)
        else { return nil }
        return key
    }

    private func publish(_ message: RejectionMessage) {
        guard publisher.queuedMessages < Self.queuedMax else { return dropped.increment() }
        let dropped = dropped
        let outgoing = OutgoingMessage(
            key: message.appID.bytes,
            payload: RejectionMessageCodec.encode(message)
        )
        publisher.publish([outgoing], to: topic) { isConfirmed in
            if !isConfirmed { dropped.increment() }
        }
    }

    /// `events[3].user_id` → `user_id`: on the page an event's place in its batch means nothing.
    static func withoutIndex(_ field: String) -> String? {
        guard field.hasPrefix("events[") else { return field }
        guard let end = field.firstIndex(of: "]") else { return field }
        let rest = field[field.index(after: end)...].drop { $0 == "." }
        return rest.isEmpty ? nil : String(rest)
    }
}
