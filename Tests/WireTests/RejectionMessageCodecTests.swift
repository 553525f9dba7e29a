import Contracts
import JSON
import Testing
import Wire

@Suite struct RejectionMessageCodecTests {
    static func decode(_ bytes: [UInt8]) -> RejectionMessage? {
        RejectionMessageCodec.decode(bytes, with: JSONParser())
    }

    static func decode(_ text: String) -> RejectionMessage? { decode(Array(text.utf8)) }

    static func sample() -> RejectionMessage {
        RejectionMessage(
            appID: UUID128(high: 1, low: 2),
            receivedAtMs: 1_790_000_000_000,
            items: [
                RejectionMessage.Item(
                    code: "invalid_field",
                    field: "context.platform",
                    insertID: UUID128(high: 3, low: 4),
                    platform: .ios,
                    appVersion: "3.4.0 \"é😀\""
                ),
                RejectionMessage.Item(code: "payload_too_large"),
            ]
        )
    }

    /// Version 1 as stored topics have it: this text never changes while version 1 is read.
    @Test func goldenVersion1() {
        let text = String(decoding: RejectionMessageCodec.encode(Self.sample()), as: UTF8.self)
        #expect(
            text == """
                {"v":1,"app_id":"00000000-0000-0001-0000-000000000002","received_at":1790000000000,"items":[\
                {"code":"invalid_field","field":"context.platform","insert_id":"00000000-0000-0003-0000-000000000004",\
                "platform":"ios","app_version":"3.4.0 \\"é😀\\""},{"code":"payload_too_large"}]}
                """
        )
    }

    @Test func decodesWhatItEncoded() {
        #expect(Self.decode(RejectionMessageCodec.encode(Self.sample())) == Self.sample())
    }

    @Test func decodesABatchOfTheLargestSize() {
        var message = Self.sample()
        message.items = Array(repeating: message.items[0], count: EventLimits.eventsMax)

        #expect(Self.decode(RejectionMessageCodec.encode(message)) == message)
    }

    @Test func unknownMembersAreIgnored() {
        let text = String(decoding: RejectionMessageCodec.encode(Self.sample()), as: UTF8.self)
        let extended = text.replacing("{\"code\"", with: "{\"added_later\":[{}],\"code\"")

        #expect(Self.decode("{\"added_later\":{\"x\":[1,2]}," + extended.dropFirst()) == Self.sample())
    }

    /// A topic may outlive a platform's name.
    @Test func anUnknownPlatformIsAbsent() {
        let text = String(decoding: RejectionMessageCodec.encode(Self.sample()), as: UTF8.self)
        var expected = Self.sample()
        expected.items[0].platform = nil

        #expect(Self.decode(text.replacing("\"ios\"", with: "\"toaster\"")) == expected)
    }

    @Test func everyCutIsNoMessage() {
        let bytes = RejectionMessageCodec.encode(Self.sample())

        for length in bytes.indices {
            #expect(Self.decode(Array(bytes.prefix(length))) == nil, "\(length) bytes")
        }
    }

    private static let app = #""app_id":"00000000-0000-0001-0000-000000000002""#
    private static let time = #""received_at":1790000000000"#

    @Test(arguments: [
        "", "null", "[]", "{}", String(repeating: "A", count: 900_000),
        #"{"v":2,\#(app),\#(time),"items":[]}"#,
        #"{"v":"1",\#(app),\#(time),"items":[]}"#,
        #"{\#(app),\#(time),"items":[]}"#,
        #"{"v":1,\#(time),"items":[]}"#,
        #"{"v":1,"app_id":7,\#(time),"items":[]}"#,
        #"{"v":1,"app_id":"7",\#(time),"items":[]}"#,
        #"{"v":1,\#(app),"items":[]}"#,
        #"{"v":1,\#(app),"received_at":900000000000,"items":[]}"#,
        #"{"v":1,\#(app),"received_at":9223372036854775807,"items":[]}"#,
        #"{"v":1,\#(app),"received_at":"now","items":[]}"#,
        #"{"v":1,\#(app),\#(time)}"#,
        #"{"v":1,\#(app),\#(time),"items":{}}"#,
    ])
    func anythingElseIsNoMessage(text: String) {
        #expect(Self.decode(text) == nil)
    }

    @Test func moreItemsThanABatchCanHoldAreNoMessage() {
        let items = Array(repeating: "{\"code\":\"x\"}", count: 1_001).joined(separator: ",")

        #expect(Self.decode(#"{"v":1,\#(Self.app),\#(Self.time),"items":[\#(items)]}"#) == nil)
    }

    private static func items(_ json: String) -> [RejectionMessage.Item]? {
        decode(#"{"v":1,\#(app),\#(time),"items":[\#(json)]}"#)?.items
    }

    @Test(arguments: ["7", "null", "{}", #"{"code":7}"#, #"{"code":"a\u0000b"}"#])
    func anItemWithoutACodeIsLeftOut(json: String) {
        #expect(Self.items(#"\#(json),{"code":"invalid_field"}"#) == [.init(code: "invalid_field")])
    }

    /// Postgres takes no NUL in a text.
    @Test(arguments: ["field", "app_version"])
    func aTextWithNULIsAbsent(member: String) {
        #expect(Self.items(#"{"code":"x","\#(member)":"a\u0000b"}"#) == [.init(code: "x")])
    }

    @Test(arguments: ["field", "insert_id", "platform", "app_version"])
    func aMemberOfAnotherTypeIsAbsent(member: String) {
        #expect(Self.items(#"{"code":"x","\#(member)":7}"#) == [.init(code: "x")])
    }
}
