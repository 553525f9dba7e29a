import Gzip
import ServiceKit
import Testing

extension PipelineTests.ConformanceTests {
    /// Goal: every limit holds to the millisecond, the byte and the character.
    @Suite struct BoundaryTests {
        private static let weekMs: Int64 = 7 * 86_400_000
        private static let aheadMs: Int64 = 600_000

        /// Only the difference of the batch's two readings counts, so the server's clock does not matter.
        @Test func sevenDaysAreAcceptedAndAMillisecondMoreIsNot() async throws {
            let world = try Conformance.shared()
            let draft = Draft(
                Draft.event(afterMs: -Self.weekMs + 1),
                Draft.event(afterMs: -Self.weekMs),
                Draft.event(afterMs: -Self.weekMs - 1)
            )

            let answer = try await world.post(draft)

            #expect(answer.json["accepted"] == 2)
            #expect(answer.json["rejected"].list.map { $0["index"] } == [2])
            #expect(answer.json["rejected"][0]["code"] == "event_too_old")
            #expect(answer.json["rejected"][0]["field"] == "events[2].timestamp")
            #expect(try await world.stored(draft).map(\.offsetMs) == [-Self.weekMs + 1, -Self.weekMs])
        }

        @Test func tenMinutesAheadAreKeptAndAMillisecondMoreIsClamped() async throws {
            let world = try Conformance.shared()
            let draft = Draft(Draft.event(afterMs: Self.aheadMs), Draft.event(afterMs: Self.aheadMs + 1))

            let answer = try await world.post(draft)

            #expect(answer.json["accepted"] == 2)
            #expect(answer.json["warnings"].list.count == 1)
            #expect(answer.json["warnings"][0]["index"] == 1)
            #expect(answer.json["warnings"][0]["code"] == "timestamp_in_future_clamped")
            let stored = try await world.stored(draft)
            #expect(stored.map(\.offsetMs) == [Self.aheadMs, 0])
            #expect(
                stored.map { $0.event["client_time"].int.map { Int64($0) - Draft.sentAtMs } }
                    == [Self.aheadMs, Self.aheadMs + 1]
            )
        }

        @Test(arguments: [-56 * 365 * 86_400_000, 80 * 365 * 86_400_000] as [Int64])
        func aClockOfAnotherAgeDoesNotMatter(shiftMs: Int64) async throws {
            let world = try Conformance.shared()
            var draft = Draft(
                Draft.event(["timestamp": .text(utcText(ms: Draft.sentAtMs + shiftMs - 60_000))])
            )
            draft.members["sent_at"] = .text(utcText(ms: Draft.sentAtMs + shiftMs))

            let answer = try await world.post(draft)

            #expect(answer.json["accepted"] == 1)
            #expect(answer.json["warnings"] == [])
            #expect(try await world.stored(draft).map(\.offsetMs) == [-60_000])
        }

        @Test func everySpellingOfATimeIsRead() async throws {
            let world = try Conformance.shared()
            let spellings: [(text: String, offsetMs: Int64)] = [
                ("2026-10-14t09:15:02.318z", 0), ("2026-10-14T12:15:02.318+03:00", 0),
                ("2026-10-14T09:15:02.3189999Z", 0), ("2026-10-13T09:16:02.318-23:59", 0),
                ("2026-10-14T09:15:02.3Z", -18), ("2026-10-14T09:15:02Z", -318),
                ("2026-10-14T09:14:60Z", -2_319),
            ]
            var draft = Draft(events: spellings.map { Draft.event(["timestamp": .text($0.text)]) })
            draft.members["sent_at"] = "2026-10-14T09:15:02.318Z"

            #expect(try await world.post(draft).json["accepted"].int == spellings.count)
            #expect(try await world.stored(draft).map(\.offsetMs) == spellings.map(\.offsetMs))
        }

        @Test(arguments: [1, 500]) func aBatchOfThisManyIsAccepted(count: Int) async throws {
            let answer = try await Conformance.shared().post(Draft(events: Draft.starts(count)))

            #expect(answer.json["accepted"].int == count)
            #expect(answer.json["rejected"] == [])
        }

        @Test(arguments: [(0, "min_items"), (501, "max_items")])
        func aBatchOfThisManyIsRefused(count: Int, issue: String) async throws {
            let answer = try await Conformance.shared().post(Draft(events: Draft.starts(count)))

            #expect(answer.status == 400)
            #expect(answer.json["error"]["code"] == "invalid_batch")
            #expect(answer.json["error"]["details"] == ["field": "events", "issue": .text(issue)])
        }

        @Test(arguments: [(1_048_576, 200), (1_048_577, 413)])
        func aBodyOfThisManyBytes(count: Int, status: Int) async throws {
            let answer = try await Conformance.shared().post(Draft(Draft.event()).bytes(padded: count))

            #expect(answer.status == status)
            #expect(answer.errorCode == (status == 200 ? nil : "payload_too_large"))
        }

        @Test(arguments: [(1_048_576, 200), (1_048_577, 413)])
        func aGzippedBodyOfThisManyBytes(count: Int, status: Int) async throws {
            let body = Gzip.deflate(Draft(Draft.event()).bytes(padded: count))

            let answer = try await Conformance.shared().post(body, [("Content-Encoding", "gzip")])

            #expect(answer.status == status)
            #expect(answer.errorCode == (status == 200 ? nil : "payload_too_large"))
        }

        @Test func theMembersOfAGzipCountTogether() async throws {
            let bytes = Draft(Draft.event()).bytes(padded: 1_048_577)
            let body = Gzip.deflate(Array(bytes[..<600_000])) + Gzip.deflate(Array(bytes[600_000...]))

            let answer = try await Conformance.shared().post(body, [("Content-Encoding", "gzip")])

            #expect(answer.status == 413)
        }

        @Test(arguments: ["a", "я", "\u{1F600}"]) func aUserIDOf128Characters(letter: String) async throws {
            let world = try Conformance.shared()
            let user = String(repeating: letter, count: 128)
            let draft = Draft(
                Draft.event(["user_id": .text(user)]),
                Draft.event(["user_id": .text(user + letter)])
            )

            let answer = try await world.post(draft)

            #expect(answer.json["accepted"] == 1)
            #expect(answer.json["rejected"][0]["field"] == "events[1].user_id")
            #expect(try await world.stored(draft).first?.event["user_id"].string == user)
        }

        @Test func aDurationLastsFromNothingToADay() async throws {
            let world = try Conformance.shared()
            let durations: [JSON] = [0, 86_400_000, 86_400_001, -1]
            let draft = Draft(events: durations.map { Draft.event(["duration_ms": $0]) })

            let answer = try await world.post(draft)

            #expect(answer.json["accepted"] == 2)
            #expect(answer.json["rejected"].list.map { $0["index"] } == [2, 3])
            #expect(try await world.stored(draft).map { $0.event["duration_ms"] } == [0, 86_400_000])
        }

        @Test(arguments: ["1e3", "1000.0", "1.0E+3"]) func aWholeNumberIsAnInteger(spelling: String)
            async throws
        {
            let text = String(decoding: Draft(Draft.event(["duration_ms": 4242])).bytes, as: UTF8.self)

            let answer = try await Conformance.shared().post(
                Array(text.replacing("4242", with: spelling).utf8)
            )

            #expect(answer.json["accepted"] == 1)
        }

        @Test func contextFieldsOfTheirGreatestLength() async throws {
            let world = try Conformance.shared()
            let lengths = [
                "os_name": 64, "os_version": 64, "app_version": 64, "app_build": 64, "device_model": 128,
                "locale": 35,
            ]
            let texts = lengths.mapValues { JSON.text(String(repeating: "ж", count: $0)) }
            let draft = Draft(Draft.event(["context": .object(texts)]))

            #expect(try await world.post(draft).json["accepted"] == 1)
            let context = try #require(try await world.stored(draft).first?.context)
            for (field, text) in texts { #expect(context[field] == text) }
        }
    }
}
