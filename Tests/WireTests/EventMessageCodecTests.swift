import Contracts
import JSON
import Testing
import Wire

@Suite struct EventMessageCodecTests {
    static let parser = JSONParserPool()

    static func decode(_ bytes: [UInt8]) throws(EventMessageError) -> EventMessage {
        try EventMessageDecoder.decode(bytes, with: JSONParser())
    }

    static func sample() -> EventMessage {
        var context = EventContext(environment: .production, platform: .ios)
        context.osName = "iOS"
        context.osVersion = "26.0.1"
        context.appVersion = "3.4.0"
        context.appBuild = "1207"
        context.deviceModel = "iPhone17,3"
        context.deviceType = .phone
        context.locale = "ru-RU"
        context.country = "RU"
        context.city = "Moscow"
        return EventMessage(
            appID: UUID128(high: 1, low: 2),
            keyID: UUID128(high: 3, low: 4),
            installID: UUID128(high: 5, low: 6),
            receivedAtMs: 1_790_000_000_000,
            contexts: [context, EventContext(environment: .development, platform: .other)],
            events: [
                EventMessage.Event(
                    insertID: UUID128(high: 7, low: 8),
                    name: .sessionStart,
                    eventTimeMs: 1_789_999_999_000,
                    clientTimeMs: 12_345,
                    sessionID: UUID128(high: 9, low: 10)
                ),
                EventMessage.Event(
                    insertID: UUID128(high: 11, low: 12),
                    name: .sessionEnd,
                    eventTimeMs: 1_790_000_000_000,
                    clientTimeMs: -62_167_219_200_000,
                    sessionID: UUID128(high: 9, low: 10),
                    userID: "team/42 \"é😀\"",
                    durationMs: 0,
                    context: 1,
                    warnings: [.timestampInFutureClamped, .platformMissing]
                ),
            ]
        )
    }

    /// Version 1 as other services and stored topics have it: this text never changes while version 1 is read.
    @Test func goldenVersion1() {
        let text = String(decoding: EventMessageCodec.encode(Self.sample()), as: UTF8.self)
        #expect(
            text == """
                {"v":1,"app_id":"00000000-0000-0001-0000-000000000002","key_id":"00000000-0000-0003-0000-000000000004",\
                "install_id":"00000000-0000-0005-0000-000000000006","received_at":1790000000000,"contexts":[\
                {"environment":"production","platform":"ios","os_name":"iOS","os_version":"26.0.1","app_version":"3.4.0",\
                "app_build":"1207","device_model":"iPhone17,3","device_type":"phone","locale":"ru-RU","country":"RU",\
                "city":"Moscow"},{"environment":"development","platform":"other"}],"events":[\
                {"insert_id":"00000000-0000-0007-0000-000000000008","name":"session_start","event_time":1789999999000,\
                "client_time":12345,"session_id":"00000000-0000-0009-0000-00000000000a","context":0},\
                {"insert_id":"00000000-0000-000b-0000-00000000000c","name":"session_end","event_time":1790000000000,\
                "client_time":-62167219200000,"session_id":"00000000-0000-0009-0000-00000000000a",\
                "user_id":"team/42 \\"é😀\\"","duration_ms":0,"context":1,\
                "warnings":["timestamp_in_future_clamped","platform_missing"]}]}
                """
        )
    }

    @Test func decodesWhatItEncoded() throws {
        #expect(try Self.decode(EventMessageCodec.encode(Self.sample())) == Self.sample())
    }

    @Test func unknownMembersAreIgnored() throws {
        let text = String(decoding: EventMessageCodec.encode(Self.sample()), as: UTF8.self)
        let extended = "{\"added_later\":{\"x\":[1,2]}," + text.dropFirst()
        #expect(try Self.decode(Array(extended.utf8)) == Self.sample())
    }

    /// What must not stop a partition (CASES B31), with the reason it is set aside for.
    static let poison: [(String, EventMessageError)] = [
        ("", .empty),
        ("{", .notJSON),
        (String(repeating: "A", count: 900_000), .notJSON),
        ("[]", .notAnEventMessage),
        ("null", .notAnEventMessage),
        ("{\"hello\":\"world\"}", .notAnEventMessage),
        ("{\"v\":1}", .notAnEventMessage),
        ("{\"v\":2}", .unknownVersion),
        ("{\"v\":\"1\"}", .notAnEventMessage),
    ]

    @Test(arguments: poison)
    func poisonHasAReason(text: String, reason: EventMessageError) {
        #expect(throws: reason) { try Self.decode(Array(text.utf8)) }
    }

    /// An object has a count too: taken for a list, it would make a message without events.
    @Test(arguments: ["events", "contexts"])
    func listsThatAreObjectsAreNoMessage(name: String) {
        let text = String(decoding: EventMessageCodec.encode(Self.sample()), as: UTF8.self)
        let changed = text.replacing("\"\(name)\":[", with: "\"\(name)\":{\"a\":1},\"unused\":[")
        #expect(throws: EventMessageError.notAnEventMessage) { try Self.decode(Array(changed.utf8)) }
    }

    /// Values a table would refuse, each made by changing one thing of a good message.
    static let refused: [(String, @Sendable (inout EventMessage) -> Void)] = [
        ("received in 1999", { $0.receivedAtMs = 900_000_000_000 }),
        (
            "event from before the late window",
            { $0.events[0].eventTimeMs = $0.receivedAtMs - EventLimits.ageMsMax - 1 }
        ),
        (
            "event ahead of the clamp",
            { $0.events[0].eventTimeMs = $0.receivedAtMs + EventLimits.aheadMsMax + 1 }
        ),
        ("client time beyond any calendar", { $0.events[0].clientTimeMs = .max }),
        ("NUL in a user id", { $0.events[0].userID = "4\u{0}2" }),
        ("empty user id", { $0.events[0].userID = "" }),
        ("long user id", { $0.events[0].userID = String(repeating: "u", count: 129) }),
        ("NUL in a context", { $0.contexts[0].deviceModel = "a\u{0}b" }),
        ("no such context", { $0.events[0].context = 2 }),
        ("negative context", { $0.events[0].context = -1 }),
        ("duration above a day", { $0.events[1].durationMs = EventLimits.durationMsMax + 1 }),
        ("end without duration", { $0.events[1].durationMs = nil }),
        ("no events", { $0.events = [] }),
    ]

    @Test(arguments: refused.map(\.0))
    func valuesATableWouldRefuseAreInvalid(name: String) throws {
        var message = Self.sample()
        let change = try #require(Self.refused.first { $0.0 == name }?.1)
        change(&message)
        #expect(throws: EventMessageError.invalidValue) { try Self.decode(EventMessageCodec.encode(message)) }
    }

    @Test func keyIsAppThenInstall() {
        let key = EventMessage.key(appID: UUID128(high: 0, low: 1), installID: UUID128(high: 0, low: 2))
        #expect(key.count == 32)
        #expect(key[15] == 1)
        #expect(key[31] == 2)
    }
}
