import Contracts
import GeoIP
import JSON
import Testing
import Wire

@testable import IngestCore

@Suite struct BatchImporterTests {
    private let importer = BatchImporter(app: .test(platforms: [.android]))

    private func prepare(_ batch: ObjectText) throws(BatchRefusal) -> ImportedBatch {
        try importer.prepare(Array(batch.json.utf8))
    }

    private func refusal(_ text: String) -> BatchRefusal? {
        do throws(BatchRefusal) {
            _ = try importer.prepare(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    private func messages(_ batch: ObjectText) throws -> [EventMessage] {
        try prepare(batch).messages.map { try EventMessageDecoder.decode($0.payload, with: JSONParser()) }
    }

    private static func batch(sentAt: String, timestamp: String? = nil) -> ObjectText {
        BatchText.of([EventText.start { $0["timestamp"] = quoted(timestamp ?? sentAt) }]) {
            $0["sent_at"] = quoted(sentAt)
        }
    }

    @Test func countsWhatBecameOfTheEvents() throws {
        let events = [
            EventText.start(1), EventText.start(1), EventText.start(2) { $0["name"] = nil }, EventText.end(3),
        ]

        let imported = try prepare(BatchText.of(events))

        #expect([imported.accepted, imported.rejected, imported.warnings] == [3, 1, 1])
    }

    @Test func isReceivedWhenItWasSent() throws {
        let message = try #require(try messages(Self.batch(sentAt: "2021-03-04T05:06:07.008Z")).first)

        #expect(message.receivedAtMs == 1_614_834_367_008)
        #expect(message.events.map(\.eventTimeMs) == [1_614_834_367_008])
    }

    @Test func sevenDaysAreCountedFromThere() throws {
        let inside = Self.batch(sentAt: "2021-03-08T00:00:00Z", timestamp: "2021-03-01T00:00:00Z")
        let outside = Self.batch(sentAt: "2021-03-08T00:00:00Z", timestamp: "2021-02-28T23:59:59.999Z")

        #expect(try prepare(inside).accepted == 1)
        #expect(try prepare(outside).rejected == 1)
    }

    @Test(arguments: ["2000-01-01T00:00:00Z", "2099-12-31T23:59:59.999Z"])
    func aCenturyIsTaken(sentAt: String) throws {
        #expect(try messages(Self.batch(sentAt: sentAt)).count == 1)
    }

    @Test(arguments: ["1999-12-31T23:59:59.999Z", "2100-01-01T00:00:00Z", "0000-01-01T00:00:00Z"])
    func otherCenturiesAreRefused(sentAt: String) {
        #expect(
            refusal(Self.batch(sentAt: sentAt).json)
                == BatchRefusal(.invalidBatch, field: "sent_at", issue: .invalid)
        )
    }

    @Test func theSameLineGivesTheSameMessages() throws {
        let batch = BatchText.of((0..<20).map { EventText.start($0) })

        #expect(try prepare(batch) == prepare(batch))
    }

    @Test func theAppsOnlyPlatformIsTaken() throws {
        #expect(try messages(BatchText.of([EventText.start()])).map(\.contexts.first?.platform) == [.android])
    }

    @Test func theMessageNamesTheAppAndNoKey() throws {
        let message = try #require(try messages(BatchText.of([EventText.start()])).first)

        #expect(message.appID == RegisteredApp.test().id)
        #expect(message.keyID == .zero)
    }

    @Test func anAddressIsNotLookedUpNorKept() throws {
        let batch = BatchText.of([EventText.start()]) { $0["context"] = #"{"ip":"81.2.69.142"}"# }

        let payload = try #require(try prepare(batch).messages.first).payload

        #expect(!String(decoding: payload, as: UTF8.self).contains("81.2"))
    }

    /// What the events of a batch with this context are stored with, where London and Linköping are known.
    private func place(_ context: String) throws -> [String?] {
        let importer = BatchImporter(
            app: .test(platforms: [.android]),
            places: try GeoDatabase(path: GeolocatorTests.path)
        )
        let batch = BatchText.of([EventText.start()]) { $0["context"] = context }
        let message = try #require(try importer.prepare(Array(batch.json.utf8)).messages.first)
        let stored = try EventMessageDecoder.decode(message.payload, with: JSONParser()).contexts.first
        return [stored?.country, stored?.city]
    }

    @Test func anAddressThatABatchNamesHasAPlace() throws {
        #expect(try place(#"{"ip":"89.160.20.128"}"#) == ["SE", "Linköping"])
    }

    @Test(arguments: [#"{"ip":"none"}"#, #"{"ip":"10.1.2.3"}"#, #"{"ip":"x"}"#, "{}"])
    func otherBatchesHaveNoPlace(context: String) throws {
        #expect(try place(context) == [nil, nil])
    }

    @Test(arguments: ["", "{", "x"]) func whatIsNoJSONIsRefused(text: String) {
        #expect(refusal(text) == BatchRefusal(.invalidJSON))
    }

    @Test func aBatchIngestWouldRefuseIsRefused() {
        #expect(
            refusal(BatchText.of([]).json) == BatchRefusal(.invalidBatch, field: "events", issue: .minItems)
        )
    }

    @Test func aLineAboveTheLimitIsTooLarge() {
        let line = String(decoding: paddedBatch(bytes: EventLimits.bodyBytesMax + 1), as: UTF8.self)

        #expect(refusal(line) == BatchRefusal(.payloadTooLarge))
    }

    @Test func aRefusedLineDoesNotSpoilTheNext() throws {
        _ = refusal("{")

        #expect(try prepare(BatchText.of([EventText.start()])).accepted == 1)
    }
}
