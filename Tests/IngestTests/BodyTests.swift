import Contracts
import Gzip
import Testing

@testable import IngestCore

@Suite struct PlainBodyTests {
    private func refusal(_ text: String) -> BatchRefusal? { refusal(Array(text.utf8)) }
    private func refusal(_ bytes: [UInt8]) -> BatchRefusal? { PipelineWorld().refusal(of: PostText(bytes)) }

    private static let batch = BatchText.of([EventText.start()]).json

    @Test func aMebibyteIsTaken() {
        #expect(refusal(paddedBatch(bytes: 1_048_576)) == nil)
    }

    @Test func oneByteMoreIsTooLarge() {
        #expect(refusal(paddedBatch(bytes: 1_048_577)) == BatchRefusal(.payloadTooLarge))
    }

    @Test(arguments: [
        "", " ", "\n", "{", "{}{}", "[", "nul", "NaN", "{'a':1}", "{\"a\":1,}", "hello", "\u{1}",
    ])
    func whatIsNoJSONIsRefused(text: String) {
        #expect(refusal(text) == BatchRefusal(.invalidJSON))
    }

    @Test func aSecondDocumentIsRefused() {
        #expect(refusal(Self.batch + Self.batch) == BatchRefusal(.invalidJSON))
    }

    @Test func anythingBehindTheDocumentIsRefused() {
        #expect(refusal(Self.batch + "x") == BatchRefusal(.invalidJSON))
    }

    @Test(arguments: ["\n", "\r\n", " \t\n"]) func blanksAroundTheDocumentAreIgnored(blanks: String) {
        #expect(refusal(blanks + Self.batch + blanks) == nil)
    }

    @Test func aByteOrderMarkIsIgnored() {
        #expect(refusal([0xEF, 0xBB, 0xBF] + Array(Self.batch.utf8)) == nil)
    }

    @Test func twoByteOrderMarksAreNot() {
        let marks: [UInt8] = [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF]

        #expect(refusal(marks + Array(Self.batch.utf8)) == BatchRefusal(.invalidJSON))
    }

    @Test(
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0xBD], [0xF4, 0x90, 0x80, 0x80], [0xC3]] as [[UInt8]]
    )
    func brokenUTF8IsRefused(bytes: [UInt8]) {
        let batch = BatchText.of([EventText.start()]) { $0["note"] = quoted("HERE") }.json
        let parts = batch.split(separator: "HERE").map { Array($0.utf8) }

        #expect(refusal(parts[0] + bytes + parts[1]) == BatchRefusal(.invalidJSON))
    }

    @Test func utf16IsRefused() {
        let bytes = Self.batch.utf16.flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }

        #expect(refusal(bytes) == BatchRefusal(.invalidJSON))
        #expect(refusal([0xFF, 0xFE] + bytes) == BatchRefusal(.invalidJSON))
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func twentyLevelsAreTaken() {
        #expect(refusal(BatchText.of([EventText.start { $0["note"] = nested(20) }]).json) == nil)
    }

    @Test func aHundredThousandLevelsAreRefused() {
        let batch = BatchText.of([EventText.start()]) { $0["note"] = nested(100_000) }

        #expect(refusal(batch.json) == BatchRefusal(.invalidJSON))
    }

    @Test func aHundredThousandOpenBracketsAreRefused() {
        #expect(refusal(String(repeating: "[", count: 100_000)) == BatchRefusal(.invalidJSON))
    }

    @Test(arguments: [#"[]"#, "null", "1"]) func aDocumentThatIsNoObjectIsAnInvalidBatch(text: String) {
        #expect(refusal(text) == BatchRefusal(.invalidBatch, issue: .notAnObject))
    }

    @Test func aLongUnknownFieldIsNoReasonToRefuse() throws {
        let event = EventText.start { $0["note"] = quoted(String(repeating: "n", count: 1_040_000)) }

        let prepared = try PipelineWorld().prepare(PostText(BatchText.of([event])))

        #expect(prepared.verdict.acceptedCount == 1)
        #expect(prepared.messages.map { $0.payload.count < 1000 } == [true])
    }

    @Test func gzipThatIsNotAnnouncedIsRefused() {
        #expect(refusal(Gzip.deflate(Array(Self.batch.utf8))) == BatchRefusal(.invalidJSON))
    }
}

@Suite struct GzipBodyTests {
    private static let batch = Array(BatchText.of([EventText.start()]).json.utf8)
    private static let packed = Gzip.deflate(batch)

    private func refusal(_ bytes: [UInt8]) -> BatchRefusal? { PipelineWorld().refusal(of: .gzip(bytes)) }

    @Test func isUnpacked() throws {
        #expect(try PipelineWorld().prepare(.gzip(Self.packed)).verdict.acceptedCount == 1)
    }

    @Test(arguments: [0, 1, 6, 9]) func everyLevelIsRead(level: Int) {
        #expect(refusal(Gzip.deflate(Self.batch, level: level)) == nil)
    }

    @Test(arguments: [0, 6]) func aMebibyteAfterUnpackingIsTaken(level: Int) {
        #expect(refusal(Gzip.deflate(paddedBatch(bytes: 1_048_576), level: level)) == nil)
    }

    @Test(arguments: [0, 6]) func oneByteMoreIsTooLarge(level: Int) {
        #expect(
            refusal(Gzip.deflate(paddedBatch(bytes: 1_048_577), level: level))
                == BatchRefusal(.payloadTooLarge)
        )
    }

    /// Never parsed as far as it fits: the part within the limit is a whole batch here.
    @Test func aBodyIsNeverCutToTheLimit() {
        let members = Gzip.deflate(paddedBatch(bytes: 1_048_576)) + Gzip.deflate([UInt8(ascii: " ")])

        #expect(refusal(members) == BatchRefusal(.payloadTooLarge))
    }

    @Test func aBombIsTooLarge() {
        let zeros = [UInt8](repeating: 0, count: 64 << 20)

        #expect(refusal(Gzip.deflate(zeros)) == BatchRefusal(.payloadTooLarge))
    }

    @Test func aBombOfManyMembersIsTooLarge() {
        let member = Gzip.deflate([UInt8](repeating: 0, count: 1 << 20))
        let bomb = Array(repeatElement(member, count: 1024).joined())

        #expect(refusal(bomb) == BatchRefusal(.payloadTooLarge))
    }

    @Test(arguments: [1, 4, 8, 9, 30]) func aMissingEndIsRefused(missing: Int) {
        #expect(refusal(Self.packed.dropLast(missing)) == BatchRefusal(.invalidJSON))
    }

    @Test(arguments: [0, 1, 2, 3, 10, 18]) func aBeginningAloneIsRefused(count: Int) {
        #expect(refusal(Array(Self.packed.prefix(count))) == BatchRefusal(.invalidJSON))
    }

    /// Counted from the end: the length, then the checksum.
    @Test(arguments: 1...8) func aWrongTrailerIsRefused(position: Int) {
        var packed = Self.packed
        packed[packed.count - position] ^= 0x40

        #expect(refusal(packed) == BatchRefusal(.invalidJSON))
    }

    @Test func fiveBytesOfJunkBehindItAreRefused() {
        #expect(refusal(Self.packed + [1, 2, 3, 4, 5]) == BatchRefusal(.invalidJSON))
    }

    @Test func twoMembersAreOneText() throws {
        let middle = Self.batch.count / 2
        let members = Gzip.deflate(Array(Self.batch[..<middle])) + Gzip.deflate(Array(Self.batch[middle...]))

        #expect(try PipelineWorld().prepare(.gzip(members)).verdict.acceptedCount == 1)
    }

    @Test func theSumOfTheMembersIsLimited() {
        let blanks = Gzip.deflate([UInt8](repeating: UInt8(ascii: " "), count: 600_000))

        #expect(refusal(blanks + Self.packed + blanks) == BatchRefusal(.payloadTooLarge))
    }

    @Test func anEmptyBodyIsRefused() {
        #expect(refusal([]) == BatchRefusal(.invalidJSON))
    }

    @Test func gzipOfNothingIsRefused() {
        #expect(refusal(Gzip.deflate([])) == BatchRefusal(.invalidJSON))
    }

    @Test func plainJSONAnnouncedAsGzipIsRefused() {
        #expect(refusal(Self.batch) == BatchRefusal(.invalidJSON))
    }

    @Test func packedTwiceIsRefused() {
        #expect(refusal(Gzip.deflate(Self.packed)) == BatchRefusal(.invalidJSON))
    }

    @Test func afterARefusalTheNextBodyIsRead() {
        let world = PipelineWorld()
        _ = world.refusal(of: .gzip([0x1F, 0x8B]))

        #expect(world.refusal(of: .gzip(Self.packed)) == nil)
    }
}
