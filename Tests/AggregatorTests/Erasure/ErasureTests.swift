import AggregatorCore
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing
import Wire

/// What an erasure takes and what it leaves.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(3)))
struct ErasureTests {
    let noon = EventMessage.Event.defaultMs

    @Test func aUserGoesWithTheAnonymousEventsOfItsInstalls() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(
                session(erasure.app, install: 1, at: noon - Span.dayMs),
                session(erasure.app, install: 1, at: noon, user: "42"),
                session(erasure.app, install: 2, at: noon, user: "42")
            )
            try await erasure.erase(.user, "42")
            #expect(
                try await erasure.facts()
                    == ErasedFacts(events: [], installs: [], users: [], userInstalls: [])
            )
        }
    }

    @Test func anonymousEventsOfSomebodyElsesInstallStay() async throws {
        try await withErasure { erasure in
            let kept = [
                session(erasure.app, install: 1, at: noon - 3 * Span.hourMs),
                session(erasure.app, install: 1, at: noon - 2 * Span.hourMs, user: "first"),
                session(erasure.app, install: 1, at: noon + Span.hourMs),
            ]
            try await erasure.store.add(kept)
            let expected = try await erasure.facts()
            try await erasure.store.add(session(erasure.app, install: 1, at: noon, user: "42"))
            try await erasure.erase(.user, "42")
            #expect(try await erasure.facts() == expected)
        }
    }

    @Test func theNextAccountBecomesTheFirstOwner() async throws {
        try await withErasure { erasure in
            let second = session(erasure.app, install: 1, at: noon + Span.hourMs, user: "second")
            try await erasure.store.add(second)
            let expected = try await erasure.facts()
            try await erasure.store.add(
                session(erasure.app, install: 1, at: noon - Span.hourMs),
                session(erasure.app, install: 1, at: noon, user: "42"),
                session(erasure.app, install: 1, at: noon + 2 * Span.hourMs)
            )
            try await erasure.erase(.user, "42")
            #expect(try await erasure.facts() == expected)
        }
    }

    @Test func anInstallGoesWhoeverUsedIt() async throws {
        try await withErasure { erasure in
            let elsewhere = session(erasure.app, install: 2, at: noon, user: "42")
            try await erasure.store.add(elsewhere)
            let expected = try await erasure.facts()
            try await erasure.store.add(
                session(erasure.app, install: 1, at: noon - Span.dayMs),
                session(erasure.app, install: 1, at: noon - Span.dayMs, user: "42"),
                session(erasure.app, install: 1, at: noon, user: "43")
            )
            // As somebody may write it.
            try await erasure.erase(.install, UUID128.fixed(1).description.uppercased())
            #expect(try await erasure.facts() == expected)
        }
    }

    @Test(arguments: [DeletionSubjectType.user, .install])
    func bothEnvironmentsAreErased(type: DeletionSubjectType) async throws {
        try await withErasure { erasure in
            for environment in AppEnvironment.allCases {
                try await erasure.store.add(
                    session(erasure.app, install: 1, at: noon, user: "42", environment: environment),
                    session(erasure.app, install: 1, at: noon + Span.hourMs, environment: environment)
                )
            }
            try await erasure.erase(type, type == .user ? "42" : UUID128.fixed(1).description)
            #expect(try await erasure.eventCount() == 0)
        }
    }

    /// The same install may be one person's in production and another's in development.
    @Test func whoseAnInstallIsIsDecidedInEachEnvironment() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(
                session(erasure.app, install: 1, at: noon, environment: .development),
                session(erasure.app, install: 1, at: noon, user: "other", environment: .development)
            )
            let expected = try await erasure.facts()
            try await erasure.store.add(
                session(erasure.app, install: 1, at: noon),
                session(erasure.app, install: 1, at: noon, user: "42")
            )
            try await erasure.erase(.user, "42")
            #expect(try await erasure.facts() == expected)
        }
    }

    @Test(
        arguments: [
            ("a%2Fb", "a/b"), ("A", "a"), ("e\u{301}", "\u{E9}"), ("\u{E9}", "e\u{301}"), ("50%", "50"),
            (".", ".."),
            ("a b", "a+b"), ("日本", "日"), ("😀", "😁"),
        ]
    )
    func onlyTheVeryUserIsErased(erased: String, kept: String) async throws {
        try await withErasure { erasure in
            try await erasure.store.add(session(erasure.app, install: 1, at: noon, user: kept))
            let expected = try await erasure.facts()
            try await erasure.store.add(session(erasure.app, install: 2, at: noon, user: erased))
            try await erasure.erase(.user, erased)
            #expect(try await erasure.facts() == expected)
            // What the other one sends goes on being stored, and the erased one's is not.
            let outcome = try await erasure.store.add(
                session(erasure.app, install: 1, at: noon + Span.hourMs, user: kept),
                session(erasure.app, install: 2, at: noon + Span.hourMs, user: erased)
            )
            #expect(outcome.suppressed == 2 && outcome.new == 2)
        }
    }

    @Test func theSameUserOfAnotherAppStays() async throws {
        try await withErasure { erasure in
            let other = try await TestApp.make(erasure.connection)
            try await erasure.store.add(
                session(other, install: 1, at: noon, user: "42"),
                session(erasure.app, install: 1, at: noon, user: "42")
            )
            try await erasure.erase(.user, "42")
            #expect(try await ErasedFacts.of(other, erasure.connection).events.count == 2)
            #expect(try await erasure.facts().events.isEmpty)
        }
    }

    @Test func aDayThatBecomesEmptyIsClosedEmpty() async throws {
        try await withErasure(timezone: "America/New_York") { erasure in
            // 02:00 UTC is still the day before in New York.
            try await erasure.store.add(
                session(erasure.app, install: 1, at: utcMs("2026-10-15", hours: 2), user: "42")
            )
            try await erasure.bench.closeAll()
            #expect(try await erasure.bench.closed("2026-10-14")?.sessions == 1)
            try await erasure.erase(.user, "42")
            let day = try await erasure.bench.closed("2026-10-14")
            #expect(day?.sessions == 0 && day?.block.count == 0)
            #expect(day?.revision == 2 && day?.cause == "erasure")
            #expect(try await erasure.bench.marks().isEmpty)
        }
    }

    @Test func theOtherDayOfASessionOverMidnightFollows() async throws {
        try await withErasure { erasure in
            let id = UUID128.random()
            let midnight = utcMs("2026-10-15")
            try await erasure.store.add(
                .valid(
                    app: erasure.app.id,
                    install: .fixed(1),
                    [
                        .start(at: midnight - Span.hourMs, session: id, user: "42"),
                        .end(at: midnight + Span.hourMs, session: id, user: "stays"),
                    ]
                )
            )
            try await erasure.bench.closeAll()
            try await erasure.erase(.user, "42")
            try await expectDaysEqualOracleOfAny(erasure.bench, zone: "UTC")
            #expect(try await erasure.bench.closed("2026-10-15")?.block.rows.map(\.isSession) == [false])
        }
    }

    @Test func whoComesBackIsANewPerson() async throws {
        try await withErasure { erasure in
            try await erasure.store.add(session(erasure.app, install: 1, at: noon, user: "42"))
            let request = try await erasure.erase(.user, "42")
            let backMs = try #require(request.completedAtMs) + Span.hourMs
            let outcome = try await erasure.store.add(
                session(erasure.app, install: 1, at: backMs - Span.minuteMs),
                session(erasure.app, install: 1, at: backMs, user: "42")
            )
            #expect(outcome.new == 4 && outcome.suppressed == 0)
            let numbers = try await erasure.connection.texts(
                "SELECT (SELECT user_no FROM users)::text || ' ' || (SELECT install_no FROM installs)::text LIMIT 1"
            )
            #expect(numbers == ["2 2"])
            let first = try await erasure.connection.first("SELECT first_at FROM users LIMIT 1") {
                try $0.timestampMs(0)
            }
            #expect(first == backMs)
        }
    }

    @Test func payloadsSetAsideThatNameThePersonAreEmptied() async throws {
        try await withErasure { erasure in
            let user = "accöunt/8f14"
            let payloads = [
                #"{"events":[{"user_id":"accöunt/8f14"}]}"#, #"{"user_id":"acc\u00f6unt\/8f14"}"#,
                #"{"user_id":"acc\u00F6unt/8f14", broken"#, #"{"user_id":"accöunt/8f15"}"#, "not JSON",
            ]
            for (offset, payload) in payloads.enumerated() {
                let message = DecodedMessage(
                    partition: 0,
                    offset: Int64(offset),
                    content: .unusable(reason: .notJSON, payload: Array(payload.utf8))
                )
                _ = try await erasure.store.store([message], progress: [])
            }
            try await erasure.erase(.user, user)
            let left = try await erasure.connection.texts(
                """
                SELECT message_offset || ' ' || reason FROM set_aside_messages WHERE payload IS NOT NULL
                ORDER BY message_offset LIMIT 100
                """
            )
            #expect(left == ["3 not_json", "4 not_json"])
        }
    }

    @Test func rejectionsOfErasedEventsGo() async throws {
        try await withErasure { erasure in
            let message = session(erasure.app, install: 1, at: noon, user: "42")
            try await erasure.store.add(message)
            for (offset, id) in (message.events.map(\.insertID) + [.fixed(77)]).enumerated() {
                try await erasure.connection.execute(
                    """
                    INSERT INTO rejections (
                        app_no, received_at, code, insert_id, partition, message_offset, item_index)
                    VALUES (\(erasure.app.number), now(), 'invalid_field', \(id)::uuid, 0, \(offset), 0)
                    """
                )
            }
            try await erasure.erase(.user, "42")
            let left = try await erasure.connection.texts("SELECT insert_id FROM rejections LIMIT 10")
            #expect(left == [UUID128.fixed(77).description])
        }
    }

    @Test func somebodyWhoWasNeverSeenIsDoneAtOnceAndRemembered() async throws {
        try await withErasure { erasure in
            let request = try await erasure.erase(.user, "nobody")
            #expect(request.value == nil)
            let outcome = try await erasure.store.add(
                session(erasure.app, install: 1, at: noon, user: "nobody")
            )
            #expect(outcome.suppressed == 2 && outcome.new == 0)
        }
    }
}

/// The comparison of `expectDaysEqualOracle` for worlds of few days.
func expectDaysEqualOracleOfAny(
    _ bench: StoreBench,
    zone: String,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let closed = try await ClosedDay.all(bench.app.number, bench.connection)
    let found = closed.filter { $0.value.block.count > 0 }
        .map { DayFigures(key: $0.key, day: $0.value).description }.sorted()
    let expected = try await DaySQLOracle.days(app: bench.app.number, zone: zone, bench.connection).map(
        \.description
    )
    #expect(found == expected.sorted(), sourceLocation: sourceLocation)
}
