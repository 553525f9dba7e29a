import Crypto
import Testing

@Suite struct IDGeneratorTests {
    static let nowMs: Int64 = 1_469_922_850_259

    @Test func aULIDIsItsTimeThenItsRandomBits() {
        let known = ULID(high: UInt64(Self.nowMs) << 16, low: 0)
        #expect(known.description == "01ARZ3NDEK0000000000000000")
        #expect(ULID(high: .max, low: .max).description == "7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
        let example = ULID(high: 0x0156_3E3A_B5D3_D676, low: 0x4C61_EFB9_9302_BD5B)
        #expect(example.description == "01ARZ3NDEKTSV4RRFFQ69G5FAV")
    }

    @Test func aULIDTellsItsTime() {
        #expect(IDGenerator().ulid(nowMs: Self.nowMs).ms == Self.nowMs)
    }

    @Test func ulidsGrowWhateverTheClockDoes() {
        let generator = IDGenerator()
        let clock = [
            Self.nowMs, Self.nowMs, Self.nowMs - 5000, Self.nowMs + 1, 0, Self.nowMs + 1, .min, .max, .max,
        ]
        let ids = clock.map { generator.ulid(nowMs: $0) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.description < $1.description })
    }

    @Test func everyMillisecondHasNewRandomBits() {
        let generator = IDGenerator()
        let lows = (0..<2000).map { generator.ulid(nowMs: Self.nowMs + Int64($0)).low }
        #expect(Set(lows).count == 2000)
    }

    @Test func threadsNeverGetTheSame() async {
        let generator = IDGenerator()
        let ids = await withTaskGroup(of: [ULID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<2000).map { _ in generator.ulid(nowMs: Self.nowMs) } } }
            return await group.reduce(into: Set<ULID>()) { $0.formUnion($1) }
        }
        #expect(ids.count == 16_000)
    }

    @Test func aUUIDHasVersionVariantAndTime() throws {
        let bytes = IDGenerator().uuidV7(nowMs: 0x0123_4567_89AB)
        #expect(Array(bytes[0..<6]) == [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB])
        #expect(bytes[6] >> 4 == 7)
        #expect(bytes[8] >> 6 == 2)
        #expect(
            UUIDText.format(bytes).wholeMatch(of: /01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
                != nil
        )
    }

    @Test func uuidsGrowBeyondOneMillisecondsWorth() {
        let generator = IDGenerator()
        let ids = (0..<10_000).map { _ in generator.uuidV7(nowMs: Self.nowMs) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    }
}
