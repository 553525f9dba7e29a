import Contracts
import JSON
import Testing
import Wire

@testable import IngestCore

@Suite struct MessageBuilderTests {
    private static let key = RegisteredKey.test()

    private func messages(_ events: [ObjectText], bytesMax: Int = Topics.messageBytesMax) throws
        -> [EventMessage]
    {
        try outgoing(events, bytesMax: bytesMax).map {
            try EventMessageDecoder.decode($0.payload, with: JSONParser())
        }
    }

    private func outgoing(_ events: [ObjectText], bytesMax: Int = Topics.messageBytesMax) throws
        -> [OutgoingMessage]
    {
        let verdict = try judge(BatchText.of(events), key: Self.key)
        return MessageBuilder.messages(
            verdict.accepted,
            contexts: verdict.contexts.map(\.context),
            key: Self.key,
            receivedAtMs: TestTime.receivedAtMs,
            bytesMax: bytesMax
        )
    }

    private func event(_ number: Int, install: Int, version: String = "1") -> ObjectText {
        EventText.start(number) {
            $0["install_id"] = quoted(EventText.installID(install))
            $0["context"] = #"{"app_version":"\#(version)"}"#
        }
    }

    private static let installs = (1...3).map { UUID128(EventText.installID($0)) ?? .zero }

    @Test func nothingAcceptedIsNoMessage() throws {
        #expect(try outgoing([EventText.start { $0["name"] = nil }]).isEmpty)
    }

    @Test func eachInstallHasOne() throws {
        let events = [1, 2, 1, 3, 2, 1].enumerated().map { event($0.offset, install: $0.element) }

        #expect(try messages(events).map(\.installID) == Self.installs)
    }

    @Test func theOrderWithinAnInstallIsTheBatchs() throws {
        let events = [1, 2, 1, 2, 1].enumerated().map { event($0.offset, install: $0.element) }

        let numbers = try messages(events).map { $0.events.map { Int($0.insertID.low & 0xFFFF) } }

        #expect(numbers == [[0, 2, 4], [1, 3]])
    }

    @Test func theKeyIsTheAppAndTheInstall() throws {
        let message = try #require(try outgoing([event(1, install: 2)]).first)

        #expect(message.key == EventMessage.key(appID: Self.key.app.id, installID: Self.installs[1]))
        #expect(message.key.count == 32)
    }

    @Test func saysWhichAppKeyAndReceipt() throws {
        let message = try #require(try messages([event(1, install: 1)]).first)

        #expect(message.appID == Self.key.app.id)
        #expect(message.keyID == Self.key.id)
        #expect(message.receivedAtMs == TestTime.receivedAtMs)
    }

    @Test func carriesTheContextsItsEventsUseAndNoOther() throws {
        let events = [
            event(1, install: 1, version: "a"), event(2, install: 2, version: "b"),
            event(3, install: 1, version: "c"), event(4, install: 1, version: "a"),
        ]

        let first = try #require(try messages(events).first)

        #expect(first.contexts.map(\.appVersion) == ["a", "c"])
        #expect(first.events.map(\.context) == [0, 1, 0])
    }

    @Test func contextsAreRenumberedForEachMessage() throws {
        let events = [event(1, install: 1, version: "a"), event(2, install: 2, version: "b")]

        let second = try #require(try messages(events).last)

        #expect(second.contexts.map(\.appVersion) == ["b"])
        #expect(second.events.map(\.context) == [0])
    }

    /// Events that were rejected or repeated may leave a context nobody uses.
    @Test func aContextOfNoEventIsLeftOut() throws {
        let copy = event(1, install: 1, version: "of a copy")

        let only = try #require(try messages([event(1, install: 1, version: "a"), copy]).first)

        #expect(only.contexts.map(\.appVersion) == ["a"])
    }

    @Test(arguments: [700, 1000, 5000, 20_000]) func staysBelowTheLimit(bytesMax: Int) throws {
        let events = (0..<100).map { event($0, install: 1, version: "\($0 % 7)") }

        let payloads = try outgoing(events, bytesMax: bytesMax).map(\.payload.count)

        #expect(payloads.allSatisfy { $0 <= bytesMax })
        #expect(payloads.count > 1)
    }

    @Test(arguments: [700, 1000, 5000, 20_000]) func splittingLosesNothing(bytesMax: Int) throws {
        let events = (0..<100).map { event($0, install: 1, version: "\($0 % 7)") }

        let parts = try messages(events, bytesMax: bytesMax)

        let seen = parts.flatMap { part in
            part.events.map { "\($0.insertID) \(part.contexts[$0.context].appVersion ?? "")" }
        }
        #expect(seen == (0..<100).map { "\(EventText.insertID($0)) \($0 % 7)" })
    }

    @Test func partsShareTheKey() throws {
        let events = (0..<20).map { event($0, install: 1) }

        #expect(Set(try outgoing(events, bytesMax: 1000).map(\.key)).count == 1)
    }

    @Test func exactlyTheLimitIsNotSplit() throws {
        let events = (0..<20).map { event($0, install: 1) }
        let whole = try #require(try outgoing(events).first).payload.count

        #expect(try outgoing(events, bytesMax: whole).count == 1)
        #expect(try outgoing(events, bytesMax: whole - 1).count == 2)
    }

    /// The longest of everything, escaped to its longest: what the field limits allow always fits.
    @Test func fiveHundredOfTheLongestEventsFit() throws {
        let events = (0..<500).map { number in
            EventText.end(number) {
                $0["user_id"] = quoted(String(repeating: "\"", count: 128))
                $0["context"] = longestContext(number).json
            }
        }

        let outgoing = try outgoing(events)

        #expect(outgoing.allSatisfy { $0.payload.count <= Topics.messageBytesMax })
        #expect(try messages(events).map(\.events.count).reduce(0, +) == 500)
    }

    /// Another one for each number, so that a message has to carry them all.
    private func longestContext(_ number: Int) -> ObjectText {
        ObjectText(
            ContextField.allCases.map { field in
                let text =
                    field == .appVersion ? "\(number)" : String(repeating: "\"", count: field.scalarsMax)
                return (field.rawValue, quoted(text))
            }
        )
    }
}
