import ServiceKit
import Testing
import Wire

@Suite struct DayBlockCodecTests {
    static let rows = [
        DayBlock.Row(context: 7, install: 3, user: 0, fromMs: 0, spanMs: 10, durationMs: -1, isSession: true),
        DayBlock.Row(
            context: 7,
            install: 1,
            user: 2,
            fromMs: 86_399_999,
            spanMs: 0,
            durationMs: 0,
            isSession: true
        ),
        DayBlock.Row(
            context: 2,
            install: 300,
            user: 1,
            fromMs: 1_000,
            spanMs: 95_000,
            durationMs: 95_000,
            isSession: true
        ),
        DayBlock.Row(
            context: 2,
            install: 300,
            user: 1,
            fromMs: 1_000,
            spanMs: 0,
            durationMs: -1,
            isSession: false
        ),
    ]

    /// Version 1 as stored: these bytes never change while version 1 is read.
    @Test func goldenVersion1() {
        let bytes = DayBlockCodec.encode(DayBlock(rows: Self.rows))
        let hex = bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
        #expect(
            hex
                == "4644012a411f36e3147de10202020502d80400020401010200e807e807ffb79929000098e605000a0099e60501000e"
        )
    }

    @Test func decodesWhatItEncoded() throws {
        let block = DayBlock(rows: Self.rows)
        #expect(try DayBlockCodec.decode(DayBlockCodec.encode(block)) == block)
        #expect(Set(block.rows.map(\.install)) == [1, 3, 300])
    }

    @Test func emptyDayRoundTrips() throws {
        let block = DayBlock(rows: [])
        #expect(try DayBlockCodec.decode(DayBlockCodec.encode(block)).count == 0)
    }

    @Test func orderOfFactsDoesNotMatter() {
        let forward = DayBlockCodec.encode(DayBlock(rows: Self.rows))
        let backward = DayBlockCodec.encode(DayBlock(rows: Self.rows.reversed()))
        #expect(forward == backward)
    }

    @Test(arguments: UInt64(1)...20)
    func randomBlocksRoundTrip(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let rows = (0..<Int.random(in: 0...500, using: &random)).map { _ in
            DayBlock.Row(
                context: .random(in: 1...40, using: &random),
                install: .random(in: 1...Int32.max, using: &random),
                user: .random(in: 0...Int32.max, using: &random),
                fromMs: .random(in: 0...93_599_999, using: &random),
                spanMs: .random(in: 0...93_599_999, using: &random),
                durationMs: .random(in: -1...86_400_000, using: &random),
                isSession: .random(using: &random)
            )
        }
        let block = DayBlock(rows: rows)
        #expect(try DayBlockCodec.decode(DayBlockCodec.encode(block)) == block)
    }

    @Test func everyCutIsAnError() {
        let bytes = DayBlockCodec.encode(DayBlock(rows: Self.rows))
        for length in 0..<bytes.count {
            #expect(throws: DayBlockError.self) { try DayBlockCodec.decode(Array(bytes[..<length])) }
        }
    }

    @Test func everyFlippedBitIsAnError() {
        let bytes = DayBlockCodec.encode(DayBlock(rows: Self.rows))
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: DayBlockError.self) { try DayBlockCodec.decode(damaged) }
        }
    }

    @Test func laterVersionsAreToldApart() {
        var bytes = DayBlockCodec.encode(DayBlock(rows: Self.rows))
        bytes[2] = 9
        #expect(throws: DayBlockError.unknownVersion(9)) { try DayBlockCodec.decode(bytes) }
    }
}
