import Gzip
import Testing

@Suite struct GzipTests {
    static let text = Array(#"{"events":[{"type":"session_start"}]}"#.utf8)

    private func error(_ bytes: [UInt8], outputBytesMax: Int = 1 << 20) -> GzipError? {
        #expect(throws: GzipError.self) { try Gzip.inflate(bytes, outputBytesMax: outputBytesMax) }
    }

    /// Written by `gzip -n` on the command line: our own `deflate` must not be the only judge.
    @Test func readsWhatGzipWrote() throws {
        let hello: [UInt8] = [
            0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xE7, 0x02, 0x00, 0x20,
            0x30, 0x3A,
            0x36, 0x06, 0, 0, 0,
        ]
        #expect(try Gzip.inflate(hello, outputBytesMax: 100) == Array("hello\n".utf8))
    }

    @Test(arguments: 0...9)
    func roundTripsAtEveryLevel(level: Int) throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) }
        #expect(try Gzip.inflate(Gzip.deflate(bytes, level: level), outputBytesMax: 100_000) == bytes)
    }

    @Test func roundTripsNothing() throws {
        #expect(try Gzip.inflate(Gzip.deflate([]), outputBytesMax: 0).isEmpty)
    }

    @Test func joinsMembers() throws {
        let members = Gzip.deflate(Self.text) + Gzip.deflate([]) + Gzip.deflate(Self.text)
        #expect(try Gzip.inflate(members, outputBytesMax: 1000) == Self.text + Self.text)
    }

    @Test(arguments: [1, 63, 64, 65, 65_536, 1_048_576])
    func theBoundIsInclusive(count: Int) throws {
        let packed = Gzip.deflate([UInt8](repeating: 32, count: count))
        #expect(try Gzip.inflate(packed, outputBytesMax: count).count == count)
        #expect(error(packed, outputBytesMax: count - 1) == .tooLarge)
    }

    @Test func theBoundCountsTheSumOfMembers() throws {
        let packed = Gzip.deflate(Self.text) + Gzip.deflate(Self.text)
        #expect(try Gzip.inflate(packed, outputBytesMax: 2 * Self.text.count).count == 2 * Self.text.count)
        #expect(error(packed, outputBytesMax: 2 * Self.text.count - 1) == .tooLarge)
    }

    @Test func aBombThatLiesAboutItsSizeIsTooLarge() {
        var bomb = Gzip.deflate([UInt8](repeating: 0, count: 50_000_000), level: 9)
        bomb.replaceSubrange((bomb.count - 4)..., with: [1, 0, 0, 0])
        #expect(error(bomb) == .tooLarge)
    }

    @Test func everyCutIsTruncated() {
        let packed = Gzip.deflate(Self.text)
        for count in 0..<packed.count {
            #expect(error(Array(packed.prefix(count))) == .truncated, "\(count)")
        }
    }

    @Test func everyCutOfASecondMemberIsTruncated() {
        let packed = Gzip.deflate(Self.text)
        for count in 1..<packed.count {
            #expect(error(packed + packed.prefix(count)) == .truncated, "\(count)")
        }
    }

    @Test(arguments: 1...8)
    func aWrongTrailerIsCorrupt(fromEnd: Int) {
        var packed = Gzip.deflate(Self.text)
        packed[packed.count - fromEnd] ^= 0x40
        #expect(error(packed) == .corrupt)
    }

    @Test(arguments: [
        [0], [0, 0, 0, 0, 0], Array("junk!".utf8), [0x1F, 0x00], [0x1F, 0x8B, 0x07, 0, 0, 0, 0, 0, 0, 0],
    ])
    func junkBehindTheTrailerIsCorrupt(junk: [UInt8]) {
        #expect(error(Gzip.deflate(Self.text) + junk) == .corrupt)
    }

    @Test(arguments: [Array("{}".utf8), [0x1F, 0x8C, 8], [0x78, 0x9C, 3, 0, 0, 0, 0, 1]])
    func somethingElseIsNotGzip(bytes: [UInt8]) {
        #expect(error(bytes) == .notGzip)
    }

    @Test func twicePackedIsUnpackedOnce() throws {
        let once = Gzip.deflate(Self.text)
        #expect(try Gzip.inflate(Gzip.deflate(once), outputBytesMax: 1000) == once)
    }

    /// Goal: damaged input never traps, and never yields more than the bound.
    @Test(arguments: UInt64(1)...100)
    func survivesDamage(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var packed = Gzip.deflate((0..<5000).map { _ in UInt8.random(in: 0...15, using: &random) })
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            packed[Int.random(in: 0..<packed.count, using: &random)] = UInt8(
                truncatingIfNeeded: random.next()
            )
        }
        let output = (try? Gzip.inflate(packed, outputBytesMax: 4999)) ?? []
        #expect(output.count <= 4999)
    }
}

struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
