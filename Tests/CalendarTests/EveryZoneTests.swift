import CCCTZ
import Calendar
import Testing

/// What must hold in every zone of tzdata, checked against CCTZ itself as the independent judge.
@Suite struct EveryZoneTests {
    static let names = LocalZone.knownNames.sorted()

    /// Goal: days cover time once and agree with themselves.
    ///
    /// Method: every day of 2015…2037, and 400-day stretches at random years, seeded by the name.
    @Test(arguments: names)
    func daysMeetAndAgree(name: String) throws {
        let zone = try LocalZone(named: name)
        var random = SplitMix64(state: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        var stretches: [ClosedRange<Int32>] = [16_436...24_836]
        for _ in 0..<4 {
            let first = Int32.random(in: -55_000...16_000, using: &random)
            stretches.append(first...first + 400)
        }
        let far = Int32.random(in: 24_836...2_932_000, using: &random)
        stretches.append(far...far + 400)
        for stretch in stretches {
            var expected = zone.bounds(of: LocalDay(stretch.lowerBound)).lowerBound
            for number in stretch {
                let day = LocalDay(number)
                let bounds = zone.bounds(of: day)
                let isRight =
                    bounds.lowerBound == expected
                    && (bounds.isEmpty
                        || (zone.day(ofMs: bounds.lowerBound) == day
                            && zone.day(ofMs: bounds.upperBound - 1) == day))
                if !isRight { Issue.record("\(name) \(day) \(bounds) after \(expected)") }
                expected = bounds.upperBound
            }
        }
    }

    /// Goal: offsets are CCTZ's, around changes and anywhere else.
    @Test(arguments: names)
    func offsetsAreThoseOfCCTZ(name: String) throws {
        let zone = try LocalZone(named: name)
        let judge = try #require(cz_zone_load("/usr/share/zoneinfo/" + name))
        defer { cz_zone_free(judge) }
        var random = SplitMix64(state: name.utf8.reduce(11) { $0 &* 31 &+ UInt64($1) })
        var instants = (0..<300).map { _ in Int64.random(in: -4_000_000_000...4_000_000_000, using: &random) }
        instants += (0..<300).map { _ in Int64.random(in: -62_135_596_800...253_402_300_799, using: &random) }
        var next = cz_transition(at: -62_135_596_800, offset: 0)
        while cz_zone_next_transition(judge, next.at, &next) {
            instants += [next.at - 1, next.at, next.at + 1, next.at + 12_622_780_800]
        }
        for second in instants where zone.offsetSeconds(atMs: second * 1000) != cz_zone_offset(judge, second)
        {
            Issue.record("\(name) at \(second)")
        }
    }

    /// Goal: a day is the local date, unless a clock turned back over midnight.
    ///
    /// Method: a day may only be smaller than the date, and only if that day's date comes again later.
    @Test(arguments: names)
    func aDayIsTheLocalDate(name: String) throws {
        let zone = try LocalZone(named: name)
        var random = SplitMix64(state: name.utf8.reduce(13) { $0 &* 31 &+ UInt64($1) })
        for _ in 0..<1000 {
            let ms = Int64.random(in: -4_000_000_000_000...4_000_000_000_000, using: &random)
            let local = ms + Int64(zone.offsetSeconds(atMs: ms)) * 1000
            let date = LocalDay(Int32((local - (local % 86_400_000 + 86_400_000) % 86_400_000) / 86_400_000))
            let day = zone.day(ofMs: ms)
            if day == date { continue }
            let last = zone.bounds(of: day).upperBound - 1
            let lastLocal = last + Int64(zone.offsetSeconds(atMs: last)) * 1000
            let comesAgain = last > ms && lastLocal < Int64(date.number) * 86_400_000
            if !(day < date && comesAgain) { Issue.record("\(name) at \(ms): \(day) is not \(date)") }
        }
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
