import Contracts
import ServiceKit
import Testing

@testable import IngestCore

/// Goal: whatever a client sends, each element of a batch has exactly one outcome.
///
/// Method: random batches from a seed, good elements mixed with copies and with every kind of broken one.
@Suite struct BatchPropertyTests {
    private struct Generator {
        var random: SplitMix64

        mutating func batch() -> [String] {
            let count = Int.random(in: 1...500, using: &random)
            return (0..<count).map { _ in element() }
        }

        private mutating func element() -> String {
            // Few numbers, so that most batches hold copies.
            let number = Int.random(in: 0..<200, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return LargeBatchTests.broken.randomElement(using: &random)?.json ?? "null"
            case 1: return RejectionTests.all.randomElement(using: &random)?.event.json ?? "null"
            case 2: return EventText.end(number).json
            case 3:
                return EventText.start(number) { $0["context"] = #"{"app_version":"\#(number % 5)"}"# }.json
            case 4: return EventText.start(number) { $0["context"] = #"{"ip":"nowhere"}"# }.json
            case 5:
                let install = Int.random(in: 1...9, using: &random)
                return EventText.start(number) { $0["install_id"] = quoted(EventText.installID(install)) }
                    .json
            default: return EventText.start(number).json
            }
        }
    }

    static let seeds: [UInt64] = Array(1...40)

    @Test(arguments: seeds) func acceptedAndRejectedAreWhatWasSent(seed: UInt64) throws {
        var generator = Generator(random: SplitMix64(seed: seed))
        let values = generator.batch()

        let verdict = try judge(BatchText.ofValues(values))

        #expect(verdict.acceptedCount + verdict.rejected.count == values.count)
    }

    @Test(arguments: seeds) func everyIndexHasOneOutcome(seed: UInt64) throws {
        var generator = Generator(random: SplitMix64(seed: seed))
        let values = generator.batch()

        let verdict = try judge(BatchText.ofValues(values))

        let copies = verdict.warnings.filter { $0.code == .duplicateInsertIDInBatch }.map(\.index)
        let all = verdict.accepted.map(\.index) + copies + verdict.rejected.map(\.index)
        #expect(all.sorted() == Array(values.indices))
    }

    @Test(arguments: seeds) func noInsertIDIsPublishedTwice(seed: UInt64) throws {
        var generator = Generator(random: SplitMix64(seed: seed))

        let accepted = try judge(BatchText.ofValues(generator.batch())).accepted

        #expect(Set(accepted.map(\.event.insertID)).count == accepted.count)
    }

    @Test(arguments: seeds) func everyAcceptedEventFitsItsTable(seed: UInt64) throws {
        var generator = Generator(random: SplitMix64(seed: seed))

        let verdict = try judge(BatchText.ofValues(generator.batch()))

        for accepted in verdict.accepted {
            let event = accepted.event
            #expect(verdict.contexts.indices.contains(event.context))
            #expect((event.name == .sessionEnd) == (event.durationMs != nil))
            #expect(
                (-EventLimits.ageMsMax...EventLimits.aheadMsMax).contains(
                    event.eventTimeMs - TestTime.receivedAtMs
                )
            )
        }
    }

    /// What one event comes to never depends on its neighbours, but for copies.
    @Test(arguments: seeds.prefix(10)) func neighboursDoNotMatter(seed: UInt64) throws {
        var generator = Generator(random: SplitMix64(seed: seed))
        let values = generator.batch()

        let together = try judge(BatchText.ofValues(values)).rejected.map(\.code)
        let alone = try values.flatMap { try judge(BatchText.ofValues([$0])).rejected.map(\.code) }

        #expect(together == alone)
    }
}
