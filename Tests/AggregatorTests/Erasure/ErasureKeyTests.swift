import AggregatorCore
import Contracts
import ServiceKit
import TestSupport
import Testing

/// The ledger is worth nothing with another key than it was made with.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct ErasureKeyTests {
    @Test func theFirstKeyIsKeptAndAnotherIsRefused() async throws {
        try await withErasure { erasure in
            try await withConnection(to: url(erasure.bench.url, actingAs: "foreground_aggregator")) {
                connection in
                try await ErasureKey.check(erasure.hasher, connection)
                try await ErasureKey.check(erasure.hasher, connection)
                let other = SubjectHasher(key: Secret("another key that is long enough, too"))
                await #expect(throws: ForeignErasureKey.self) {
                    try await ErasureKey.check(other, connection)
                }
            }
        }
    }

    @Test func aForeignKeyIsABadSetting() async throws {
        try await withErasure { erasure in
            try await ErasureKey.check(erasure.hasher, erasure.connection)
            func settings(key: String) -> AggregatorSettings {
                var reader = SettingsReader([
                    "DATABASE_URL": erasure.bench.url, "KAFKA_BROKERS": "nowhere:1", "ERASURE_HASH_KEY": key,
                ])
                return AggregatorSettings(&reader)
            }
            try await ErasureKey.refuseForeign(settings(key: ErasureBench.key.reveal()))
            let error = await #expect(throws: SettingsError.self) {
                try await ErasureKey.refuseForeign(settings(key: "another key that is long enough, too"))
            }
            #expect(error?.problems.map(\.setting) == ["ERASURE_HASH_KEY"])
        }
    }

    @Test func postgresAwayIsNoReasonNotToStart() async throws {
        var reader = SettingsReader([
            "DATABASE_URL": unreachableDatabaseURL, "KAFKA_BROKERS": "nowhere:1",
            "ERASURE_HASH_KEY": ErasureBench.key.reveal(),
        ])
        try await ErasureKey.refuseForeign(AggregatorSettings(&reader))
    }

    @Test func aShortKeyIsRefused() {
        var reader = SettingsReader(["ERASURE_HASH_KEY": "short"])
        _ = ErasureSettings(&reader)
        #expect(reader.problems.map(\.setting) == ["ERASURE_HASH_KEY"])
    }

    @Test func telegramNeedsBothOrNone() {
        for name in ["TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID"] {
            var reader = SettingsReader(["ERASURE_HASH_KEY": ErasureBench.key.reveal(), name: "1"])
            #expect(ErasureSettings(&reader).telegram == nil)
            #expect(reader.problems.count == 1)
        }
    }

    /// Stored for years: a change of the hash would let everybody back.
    @Test func hashesNeverChange() {
        let hasher = SubjectHasher(key: Secret("0123456789abcdef0123456789abcdef"))
        let hashes = [
            hasher.user(Array("42".utf8)), hasher.install(.fixed(1)),
            hasher.anonymous(.fixed(1), environment: 0), hasher.anonymous(.fixed(1), environment: 1),
        ]
        #expect(hashes.map { $0.prefix(4).map { Int($0) } } == Self.golden)
    }

    /// Worked out with another implementation of HMAC.
    static let golden = [
        [100, 200, 181, 13],
        [108, 31, 40, 120],
        [244, 187, 195, 41],
        [252, 81, 163, 50],
    ]
}
