import Bitmap
import Testing

@Suite struct BitmapTests {
    @Test func anEmptyBitmapHasNothing() {
        let bitmap = Bitmap()
        #expect(bitmap.count == 0)
        #expect(bitmap.isEmpty)
        #expect(bitmap.values.isEmpty)
        #expect(bitmap.min == nil)
        #expect(bitmap.max == nil)
        #expect(!bitmap.contains(0))
    }

    @Test func countsEachValueOnce() {
        var bitmap = Bitmap([5, 1, 5, .max, 0])
        bitmap.add(1)
        bitmap.addMany([7, 7, 65_536])
        #expect(bitmap.values == [0, 1, 5, 7, 65_536, .max])
        #expect(bitmap.count == 6)
        #expect(bitmap.contains(.max))
        #expect(!bitmap.contains(2))
        #expect(bitmap.min == 0)
        #expect(bitmap.max == .max)
    }

    @Test func insertSaysWhetherItWasMissing() {
        var bitmap = Bitmap()
        let answers = [bitmap.insert(3), bitmap.insert(3)]
        #expect(answers == [true, false])
    }

    @Test func copiesAreIndependent() {
        let original = Bitmap([1, 2])
        var copy = original
        copy.add(3)
        copy.remove(1)
        #expect(original.values == [1, 2])
        #expect(copy.values == [2, 3])
    }

    @Test func unitesWithItself() {
        var bitmap = Bitmap([1, 2])
        bitmap.formUnion(bitmap)
        #expect(bitmap.values == [1, 2])
    }

    /// Goal: the operations are those of sets, in every kind of container.
    @Test(arguments: UInt64(1)...30)
    func agreesWithSets(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let left = Set<UInt32>.random(using: &random)
        let right = Set<UInt32>.random(using: &random)
        let a = Bitmap(Array(left))
        let b = Bitmap(Array(right))
        #expect(a.values == left.sorted())
        #expect(a.count == left.count)
        #expect(a.intersectionCount(b) == left.intersection(right).count)
        #expect(a.unionCount(b) == left.union(right).count)
        var changed = a
        changed.formUnion(b)
        #expect(changed.values == left.union(right).sorted())
        changed = a
        changed.formIntersection(b)
        #expect(changed.values == left.intersection(right).sorted())
        changed = a
        changed.subtract(b)
        #expect(changed.values == left.subtracting(right).sorted())
        #expect(try Bitmap(serialized: a.serialized()) == a)
    }
}

@Suite struct BitmapFormatTests {
    @Test func readsTheBytesOfTheSpecification() throws {
        // Two array containers, as the format description lays them out.
        let bytes: [UInt8] = [
            0x3A, 0x30, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 24, 0, 0, 0, 28, 0, 0, 0, 1, 0, 2, 0, 3, 0,
        ]
        #expect(try Bitmap(serialized: bytes).values == [1, 2, 65_539])
        #expect(Bitmap([1, 2, 65_539]).serialized() == bytes)
    }

    @Test func readsAnEmptyOne() throws {
        #expect(try Bitmap(serialized: Bitmap().serialized()).isEmpty)
    }

    @Test func compressesRuns() throws {
        let bitmap = Bitmap(Array(10..<1_000_000))
        #expect(bitmap.serialized().count < 300)
        #expect(try Bitmap(serialized: bitmap.serialized()) == bitmap)
    }

    static let malformed: [[UInt8]] = [
        [], [1, 2, 3], [0x3A, 0x30, 0, 0], [0x3A, 0x30, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF],
        // Values not ascending.
        [0x3A, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 16, 0, 0, 0, 2, 0, 1, 0],
        [0x3A, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 16, 0, 0, 0, 2, 0, 2, 0],
        // A wrong offset, and a byte too many.
        [0x3A, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 2, 0],
        [0x3A, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 2, 0, 0],
        // Runs: beyond the container, overlapping, and fewer than counted.
        [0x3B, 0x30, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0xFF, 0xFF, 1, 0],
        [0x3B, 0x30, 0, 0, 1, 0, 0, 3, 0, 2, 0, 1, 0, 1, 0, 2, 0, 1, 0],
        [0x3B, 0x30, 0, 0, 1, 0, 0, 9, 0, 1, 0, 1, 0, 1, 0],
        // A bitset whose bits are not as many as counted.
        [0x3A, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0xFF, 0x7F, 16, 0, 0, 0] + [UInt8](repeating: 1, count: 8192),
    ]

    @Test(arguments: malformed)
    func refuses(bytes: [UInt8]) {
        #expect(throws: BitmapFormatError.malformed) { try Bitmap(serialized: bytes) }
    }

    /// Goal: damaged bytes are refused or read as a sound bitmap, and never trap.
    @Test(arguments: UInt64(1)...200)
    func survivesDamage(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var bytes = Bitmap(Array(Set<UInt32>.random(using: &random))).serialized()
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<min(bytes.count, 64), using: &random)
            bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
        if Bool.random(using: &random) {
            bytes.removeLast(Int.random(in: 0...min(4, bytes.count), using: &random))
        }
        guard let bitmap = try? Bitmap(serialized: bytes) else { return }
        let values = bitmap.values
        #expect(values.count == bitmap.count)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
    }
}

extension Set<UInt32> {
    /// A few sparse values, a dense stretch and runs, so that every kind of container comes up.
    static func random(using random: inout SplitMix64) -> Set<UInt32> {
        var set: Set<UInt32> = []
        for _ in 0..<Int.random(in: 0...50, using: &random) {
            set.insert(.random(in: 0 ... .max, using: &random))
        }
        let base = UInt32.random(in: 0...5, using: &random) << 16
        if Bool.random(using: &random) {
            for _ in 0..<8000 { set.insert(base + .random(in: 0...0xFFFF, using: &random)) }
        }
        if Bool.random(using: &random) {
            let start = base + .random(in: 0...100_000, using: &random)
            set.formUnion(start...start + .random(in: 0...3000, using: &random))
        }
        return set
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
