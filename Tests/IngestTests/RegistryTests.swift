import Contracts
import ServiceKit
import Testing

@testable import IngestCore

@Suite struct RegistryTests {
    private let clock = ManualMonotonicClock(nowNs: 1_000_000_000)
    private let registry: Registry

    init() { registry = Registry(clock: clock) }

    private static func snapshot(_ version: Int64 = 1, _ keys: String...) -> RegistrySnapshot {
        RegistrySnapshot(version: version, keys: Dictionary(uniqueKeysWithValues: keys.map { ($0, .test()) }))
    }

    @Test func knowsAKeyOfItsSnapshot() {
        registry.replace(with: Self.snapshot(1, "pk_1"))

        #expect(registry.find("pk_1") == .known(.test()))
    }

    @Test func anotherKeyIsUnknownWhileFresh() {
        registry.replace(with: Self.snapshot(1, "pk_1"))

        #expect(registry.find("pk_2") == .unknown)
    }

    @Test func withoutASnapshotNothingIsDecided() {
        #expect(registry.find("pk_1") == .undecided)
    }

    @Test func aSnapshotFromTheFileKnowsItsKeys() {
        registry.restore(Self.snapshot(1, "pk_1"))

        #expect(registry.find("pk_1") == .known(.test()))
    }

    @Test func aSnapshotFromTheFileDecidesNoOther() {
        registry.restore(Self.snapshot(1, "pk_1"))

        #expect(registry.find("pk_2") == .undecided)
    }

    @Test func fifteenSecondsAreFresh() {
        registry.replace(with: Self.snapshot())
        clock.advance(ms: 15_000)

        #expect(registry.find("pk_2") == .unknown)
    }

    @Test func afterFifteenSecondsAnotherKeyIsUndecided() {
        registry.replace(with: Self.snapshot())
        clock.advance(ms: 15_001)

        #expect(registry.find("pk_2") == .undecided)
    }

    @Test func knownKeysWorkHoweverLongPostgresIsAway() {
        registry.replace(with: Self.snapshot(1, "pk_1"))
        clock.advance(ms: 86_400_000)

        #expect(registry.find("pk_1") == .known(.test()))
    }

    @Test func aConfirmationRenewsTheFreshness() {
        registry.replace(with: Self.snapshot())
        clock.advance(ms: 14_000)
        registry.confirm()
        clock.advance(ms: 14_000)

        #expect(registry.find("pk_2") == .unknown)
    }

    @Test func useRenewsNothing() {
        registry.replace(with: Self.snapshot(1, "pk_1"))
        for _ in 0..<4 {
            clock.advance(ms: 5_000)
            _ = registry.find("pk_1")
            _ = registry.find("pk_2")
        }

        #expect(registry.find("pk_2") == .undecided)
    }

    @Test func aRevokedKeyIsUnknownFromTheNextSnapshotOn() {
        registry.replace(with: Self.snapshot(1, "pk_1", "pk_2"))
        _ = registry.find("pk_1")
        registry.replace(with: Self.snapshot(2, "pk_2"))

        #expect(registry.find("pk_1") == .unknown)
    }

    @Test func aNewKeyIsKnownFromTheNextSnapshotOn() {
        registry.replace(with: Self.snapshot(1, "pk_1"))
        for _ in 0..<10_000 { _ = registry.find("pk_2") }
        registry.replace(with: Self.snapshot(2, "pk_1", "pk_2"))

        #expect(registry.find("pk_2") == .known(.test()))
    }

    @Test func aSnapshotFromTheFileIsNotConfirmed() {
        registry.restore(Self.snapshot(41))

        #expect(registry.confirmedVersion == nil)
    }

    @Test func aSnapshotFromPostgresIsConfirmed() {
        registry.replace(with: Self.snapshot(41))

        #expect(registry.confirmedVersion == 41)
    }

    @Test func saysWhichVersionItHas() {
        registry.replace(with: Self.snapshot(41, "pk_1", "pk_2"))

        #expect(registry.version == 41)
        #expect(registry.keyCount == 2)
    }
}

@Suite struct RegistryFileTests {
    private static let snapshot = RegistrySnapshot(
        version: 9_007_199_254_740_993,
        keys: [
            "pk_any": .test(platform: nil, app: .test(platforms: Platform.allCases)),
            "pk_ios": .test(platform: .ios, app: .test(platforms: [.ios])),
            "pk_\"old\"": .test(app: .test(archived: true, platforms: [])),
        ]
    )

    @Test func comesBackAsItWas() {
        #expect(RegistryFile.decode(RegistryFile.encode(Self.snapshot)) == Self.snapshot)
    }

    @Test func anEmptyOneComesBackToo() {
        #expect(RegistryFile.decode(RegistryFile.encode(RegistrySnapshot())) == RegistrySnapshot())
    }

    /// What another version of ingest on the same disk may find.
    @Test func goldenFormat1() {
        let key = RegisteredKey.test(platform: nil, app: .test(platforms: [.ios, .web]))
        let bytes = RegistryFile.encode(RegistrySnapshot(version: 7, keys: ["pk_1": key]))

        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {"format":1,"version":7,"keys":[{"key":"pk_1","key_id":"00000000-0000-000c-0000-00000000000d",\
                "platform":null,"app_id":"00000000-0000-000a-0000-00000000000b","archived":false,\
                "platforms":["ios","web"]}]}
                """
        )
    }

    @Test func noBeginningOfItIsRead() {
        let bytes = RegistryFile.encode(Self.snapshot)

        for count in bytes.indices { #expect(RegistryFile.decode(Array(bytes[..<count])) == nil) }
    }

    /// A newer release may know more of them; Postgres is read alike.
    @Test func platformsThatAreNotKnownAreLeftOut() {
        let text = """
            {"format":1,"version":7,"keys":[{"key":"pk_1","key_id":"00000000-0000-000c-0000-00000000000d",\
            "platform":"abacus","app_id":"00000000-0000-000a-0000-00000000000b","archived":false,\
            "platforms":["abacus","web"]}]}
            """

        let key = RegisteredKey.test(platform: nil, app: .test(platforms: [.web]))
        #expect(RegistryFile.decode(Array(text.utf8)) == RegistrySnapshot(version: 7, keys: ["pk_1": key]))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "pk_1", #"{"format":1}"#, #"{"format":1,"version":7}"#,
        #"{"format":2,"version":7,"keys":[]}"#, #"{"format":1,"version":"7","keys":[]}"#,
        #"{"format":1,"version":7,"keys":{}}"#, #"{"format":1,"version":7,"keys":null}"#,
        #"{"format":1,"version":7,"keys":[{}]}"#, #"{"format":1,"version":7,"keys":[1]}"#,
        #"{"format":1,"version":7,"keys":[{"key":"k","key_id":"x","platform":null,"app_id":"x"}]}"#,
    ])
    func aDamagedOneIsNotRead(text: String) {
        #expect(RegistryFile.decode(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        (#""key_id":"00000000-0000-000c-0000-00000000000d""#, #""key_id":"c""#),
        (#""app_id":"00000000-0000-000a-0000-00000000000b""#, #""app_id":7"#),
        (#""archived":false"#, #""archived":0"#),
        (#""platforms":["ios","web"]"#, #""platforms":"ios,web""#),
        (#""key":"pk_1""#, #""key":null"#),
    ])
    func aDamagedKeyMakesItUnusable(from: String, to: String) {
        let key = RegisteredKey.test(platform: nil, app: .test(platforms: [.ios, .web]))
        let bytes = RegistryFile.encode(RegistrySnapshot(version: 7, keys: ["pk_1": key]))
        let damaged = String(decoding: bytes, as: UTF8.self).replacing(from, with: to)

        #expect(damaged.contains(to))
        #expect(RegistryFile.decode(Array(damaged.utf8)) == nil)
    }
}
