import AggregatorCore
import Calendar
import Contracts
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// What the reader answers after random worlds went through the aggregator equals plain SQL over the raw events, exactly.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct SummaryOracleTests {
    @Test(arguments: Array(UInt64(1)...12))
    func readerAgreesWithRawEvents(seed: UInt64) async throws {
        let (zoneName, date) = RandomWorld.zones[Int(seed) % RandomWorld.zones.count]
        let zone = try LocalZone(named: zoneName)
        try await withReader { reader in
            let app = try await TestApp.make(reader.connection, timezone: zoneName)
            let world = RandomWorld(seed: seed, app: app.id, zone: zone, firstDay: try day(date))
            try await fill(reader, with: world)
            var random = world.random
            var sawSessions = false
            for environment in AppEnvironment.allCases {
                let oracle = SummaryOracle(app: app.number, environment: environment, zone: zoneName)
                for question in questions(world, using: &random) {
                    let expected = try #require(try await oracle.figures(question, reader.connection))
                    let answer = try await reader.summary(app, query(question, environment)).figures
                    let figures = SummaryOracle.Figures(
                        active: answer.active,
                        new: answer.new,
                        sessions: answer.sessions,
                        averageDurationMs: answer.avgDurationMs.map(Int64.init),
                        medianDurationMs: answer.medianDurationMs.map(Int64.init)
                    )
                    #expect(figures == expected, "seed \(seed): \(query(question, environment))")
                    sawSessions = sawSessions || expected.sessions > 10
                }
            }
            // A world in which nothing happens would agree with anything.
            #expect(sawSessions)
        }
    }

    /// In three parts with a closing after each, so that most days are closed before their last event has come.
    private func fill(_ reader: ReaderWorld, with world: RandomWorld) async throws {
        let part = world.messages.count / 3 + 1
        for start in stride(from: 0, to: world.messages.count, by: part) {
            let messages = world.messages[start..<min(start + part, world.messages.count)]
            _ = try await reader.store.store(
                messages.map { DecodedMessage(partition: 0, offset: 0, content: .events($0)) },
                progress: []
            )
            try await reader.close()
        }
    }

    private func questions(_ world: RandomWorld, using random: inout SplitMix64) -> [SummaryOracle.Question] {
        let first = world.firstDay.advanced(by: -3)
        let last = world.firstDay.advanced(by: RandomWorld.dayCount + 3)
        var questions: [SummaryOracle.Question] = []
        for unit in ["persons", "installs"] {
            questions.append(.init(first: first, last: last, unit: unit))
            questions.append(.init(first: first, last: last, unit: unit, platforms: ["ios"]))
            questions.append(.init(first: first, last: last, unit: unit, appVersions: [""]))
            let (one, two) = (
                world.firstDay.advanced(by: .random(in: 0..<RandomWorld.dayCount, using: &random)),
                world.firstDay.advanced(by: .random(in: 0..<RandomWorld.dayCount, using: &random))
            )
            let (from, to) = (min(one, two), max(one, two))
            questions.append(.init(first: from, last: to, unit: unit))
            questions.append(.init(first: from, last: from, unit: unit))
            questions.append(
                .init(
                    first: from,
                    last: to,
                    unit: unit,
                    platforms: ["web", "android"],
                    appVersions: ["", "2.0"]
                )
            )
            questions.append(.init(first: to, last: to, unit: unit, platforms: ["android"]))
        }
        return questions
    }

    private func query(_ question: SummaryOracle.Question, _ environment: AppEnvironment) -> String {
        var query = "from=\(question.first)&to=\(question.last)&unit=\(question.unit)"
        query += "&environment=\(environment.rawValue)&compare=none"
        for platform in question.platforms ?? [] { query += "&platform=" + platform }
        for version in question.appVersions ?? [] { query += "&app_version=" + version }
        return query
    }
}
