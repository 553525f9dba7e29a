import Contracts
import Postgres
import Schema

/// An event read back from the source of a merge, with everything that its message once said.
struct MovedEvent: Sendable {
    let eventTimeMs: Int64
    let insertID: UUID128
    /// Nil when its install or context is gone: then it is nobody's, and only deleted.
    let content: Content?

    struct Content: Sendable {
        let event: EventMessage.Event
        let install: UUID128
        let receivedAtMs: Int64
        let context: EventContext
    }

    init(_ row: borrowing Row, environment: AppEnvironment) throws {
        eventTimeMs = try row.timestampMs(1)
        insertID = try row.uuid128(4)
        guard let install = try row.optionalUUID(6), let context = try EventContext(row, environment) else {
            content = nil
            return
        }
        content = Content(
            event: EventMessage.Event(
                insertID: insertID,
                name: try row.int(0) == Int(EventName.sessionStart.code) ? .sessionStart : .sessionEnd,
                eventTimeMs: eventTimeMs,
                clientTimeMs: try row.timestampMs(3),
                sessionID: try row.uuid128(5),
                userID: try row.optionalString(7),
                durationMs: try row.optionalInt64(8)
            ),
            install: UUID128(high: install.high, low: install.low),
            receivedAtMs: try row.timestampMs(2),
            context: context
        )
    }

    private struct Origin: Hashable {
        let install: UUID128
        let receivedAtMs: Int64
    }

    /// One message of each install and receipt, in the order of its first event.
    static func messages(_ events: [MovedEvent], to app: UUID128) -> [EventMessage] {
        var messages: [EventMessage] = []
        var positions: [Origin: Int] = [:]
        for content in events.compactMap(\.content) {
            let origin = Origin(install: content.install, receivedAtMs: content.receivedAtMs)
            let position = positions[origin] ?? messages.count
            if position == messages.count {
                positions[origin] = position
                messages.append(
                    EventMessage(
                        appID: app,
                        keyID: .zero,
                        installID: content.install,
                        receivedAtMs: content.receivedAtMs,
                        contexts: [],
                        events: []
                    )
                )
            }
            var event = content.event
            if let known = messages[position].contexts.firstIndex(of: content.context) {
                event.context = known
            } else {
                event.context = messages[position].contexts.count
                messages[position].contexts.append(content.context)
            }
            messages[position].events.append(event)
        }
        return messages
    }
}

extension EventContext {
    /// The columns from the tenth on; nil without a context.
    fileprivate init?(_ row: borrowing Row, _ environment: AppEnvironment) throws {
        guard let platform = try row.optionalString(9).flatMap(Platform.init(rawValue:)) else { return nil }
        self.init(environment: environment, platform: platform)
        osName = try row.optionalString(10)
        osVersion = try row.optionalString(11)
        appVersion = try row.optionalString(12)
        appBuild = try row.optionalString(13)
        deviceModel = try row.optionalString(14)
        deviceType = try row.optionalString(15).flatMap(DeviceType.init(rawValue:))
        locale = try row.optionalString(16)
        country = try row.optionalString(17)
        city = try row.optionalString(18)
    }
}
