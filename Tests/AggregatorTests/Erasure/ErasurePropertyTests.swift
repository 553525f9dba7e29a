import AggregatorCore
import Calendar
import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing

/// Goal: an erasure leaves exactly what would be there if the erased had never been, and everybody else's numbers.
///
/// Method: seeded worlds of troublesome sessions; what has to remain is worked out here from the messages alone and stored in a second
/// app of the same database; facts, closed days and the days of every other person are compared.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct ErasurePropertyTests {
    @Test(arguments: UInt64(1)...10)
    func whatRemainsIsWhatTheOthersSent(seed: UInt64) async throws {
        let zone = ClosingOracleTests.zones[Int(seed) % ClosingOracleTests.zones.count]
        try await withErasure(timezone: zone, nowMs: utcMs("2026-12-01")) { erasure in
            var random = SplitMix64(seed: seed &* 977)
            let messages = try ErasureWorld.messages(seed: seed, zone: zone, erasure.app, using: &random)
            let subject = try #require(ErasureWorld.subject(of: messages, using: &random))
            for batch in messages.chunked(.random(in: 5...60, using: &random)) {
                try await erasure.store.add(batch)
                if Int.random(in: 0..<3, using: &random) == 0 { try await erasure.bench.closeAll() }
            }
            let before = try await PersonDays.of(erasure.app, connection: erasure.connection)
            try await erasure.erase(subject.type, subject.value)

            let twin = try await TestApp.make(erasure.connection, timezone: zone)
            let remaining = ErasureWorld.remaining(of: messages, without: subject)
            try await erasure.store.add(remaining.map { $0.moved(to: twin) })
            let expected = try await ErasedFacts.of(twin, erasure.connection)
            #expect(try await erasure.facts() == expected)
            #expect(!expected.events.isEmpty)

            try await erasure.bench.closeAll()
            try await expectDaysEqualOracle(erasure.bench, zone: zone)
            if subject.type == .user {
                let after = try await PersonDays.of(erasure.app, connection: erasure.connection)
                #expect(after == before.filter { $0.person != "u:\(subject.value)" })
            }

            for batch in messages.shuffled(using: &random).chunked(25) { try await erasure.store.add(batch) }
            try await erasure.pass()
            #expect(try await erasure.facts() == expected)
        }
    }

    /// Where every install has one person, it does not matter what was known of it when the request was fulfilled.
    @Test(arguments: UInt64(1)...8)
    func theResultDoesNotDependOnWhatCameBeforeTheRequest(seed: UInt64) async throws {
        try await withErasure { erasure in
            var random = SplitMix64(seed: seed)
            var messages: [EventMessage] = []
            for install in UInt64(1)...8 {
                let user: String? = install % 3 == 0 ? nil : "user \(install % 3)"
                for number in 0..<Int64(4) {
                    messages.append(
                        session(
                            erasure.app,
                            install: install,
                            at: EventMessage.Event.defaultMs + number * Span.hourMs,
                            user: Bool.random(using: &random) ? user : nil
                        )
                    )
                }
            }
            let subject = try #require(DeletionSubject(.user, "user 1"))
            let order = messages.shuffled(using: &random)
            let cut = Int.random(in: 0...order.count, using: &random)
            for batch in order[..<cut].map({ $0 }).chunked(3) { try await erasure.store.add(batch) }
            try await erasure.erase(subject.type, subject.value)
            for batch in order[cut...].map({ $0 }).chunked(3) {
                try await erasure.store.add(batch)
                if Bool.random(using: &random) { try await erasure.pass() }
            }
            try await erasure.pass()

            let twin = try await TestApp.make(erasure.connection)
            let remaining = ErasureWorld.remaining(of: messages, without: subject)
            try await erasure.store.add(remaining.map { $0.moved(to: twin) })
            let expected = try await ErasedFacts.of(twin, erasure.connection)
            #expect(try await erasure.facts() == expected)
            try await erasure.bench.closeAll()
            try await expectDaysEqualOracleOfAny(erasure.bench, zone: "UTC")
        }
    }
}

/// Worlds to erase somebody from, and what has to remain by the plain words of the rules.
enum ErasureWorld {
    static func messages(
        seed: UInt64,
        zone: String,
        _ app: TestApp,
        using random: inout SplitMix64
    ) throws -> [EventMessage] {
        var messages = try StoredWorld(seed: seed, zone: zone, app: app).messages
        for index in messages.indices where Int.random(in: 0..<5, using: &random) == 0 {
            messages[index].contexts[0].environment = .development
        }
        return messages
    }

    static func subject(of messages: [EventMessage], using random: inout SplitMix64) -> DeletionSubject? {
        if Int.random(in: 0..<4, using: &random) == 0 {
            return messages.randomElement(using: &random).flatMap {
                DeletionSubject(.install, $0.installID.description)
            }
        }
        let users = Set(messages.flatMap(\.events).compactMap(\.userID)).sorted()
        return users.randomElement(using: &random).flatMap { DeletionSubject(.user, $0) }
    }

    static func remaining(of messages: [EventMessage], without subject: DeletionSubject) -> [EventMessage] {
        messages.compactMap { message in
            var left = message
            left.events = message.events.filter { event in
                switch subject.type {
                case .install: return message.installID != subject.install
                case .user:
                    guard let user = event.userID else {
                        return owner(of: message, in: messages) != subject.value
                    }
                    return user != subject.value
                }
            }
            return left.events.isEmpty ? nil : left
        }
    }

    private static func owner(of message: EventMessage, in messages: [EventMessage]) -> String? {
        messages.filter {
            $0.installID == message.installID && $0.contexts[0].environment == message.contexts[0].environment
        }
        .flatMap(\.events).filter { $0.userID != nil }
        .min { ($0.eventTimeMs, $0.insertID) < ($1.eventTimeMs, $1.insertID) }?.userID
    }
}

/// On which days who sent anything, in plain SQL: the days in UTC, people by the rules of identity.
struct PersonDays: Equatable {
    let person: String
    let day: String

    static func of(_ app: TestApp, connection: PostgresConnection) async throws -> [PersonDays] {
        try await connection.rows(
            """
            SELECT DISTINCT e.environment || ' ' || (e.event_time AT TIME ZONE 'UTC')::date AS day, coalesce(
                'u:' || u.user_id,
                (SELECT 'u:' || fu.user_id FROM events f
                 JOIN users fu ON fu.app_no = f.app_no AND fu.environment = f.environment AND fu.user_no = f.user_no
                 WHERE f.app_no = e.app_no AND f.environment = e.environment AND f.install_no = e.install_no
                 ORDER BY f.event_time, f.insert_id LIMIT 1),
                'i:' || i.install_id) AS person
            FROM events e
            JOIN installs i USING (app_no, environment, install_no)
            LEFT JOIN users u ON u.app_no = e.app_no AND u.environment = e.environment AND u.user_no = e.user_no
            WHERE e.app_no = \(app.number) ORDER BY person, day LIMIT 100000
            """
        ) { PersonDays(person: try $0.string(1), day: try $0.string(0)) }
    }
}

extension EventMessage {
    fileprivate func moved(to app: TestApp) -> EventMessage {
        var moved = self
        moved.appID = app.id
        return moved
    }
}
