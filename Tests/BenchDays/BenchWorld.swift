import Calendar
import Contracts
import ServiceKit

/// One session as the generator makes it.
struct BenchSession {
    var person: Int32
    var install: Int32
    /// 0 for an anonymous one.
    var user: Int32
    /// Index of the context, from 0.
    var context: Int
    var startMs: Int64
    /// -1 for a session that never ended.
    var durationMs: Int32
}

/// The first event of somebody; `Int64.max` for nobody.
struct BenchFirst {
    var ms = Int64.max
    var context = 0

    mutating func note(_ ms: Int64, _ context: Int) {
        if ms < self.ms { self = BenchFirst(ms: ms, context: context) }
    }
}

/// People of an app over some days: few come every day and most come rarely, some have several installs, half of them sign in on them, new
/// ones arrive each day, and versions roll out.
struct BenchWorld {
    static let devices = 64

    let options: BenchOptions
    /// First install of each person, and one more at the end: a person's installs are neighbours.
    private var installStart: [Int32] = [1]
    private var userOf: [Int32] = []
    private(set) var userCount = 0
    private(set) var installFirst: [BenchFirst]
    private(set) var anonymousFirst: [BenchFirst]
    private(set) var userFirst: [BenchFirst]
    private(set) var contexts: [BenchContext] = []
    private var contextNumbers: [BenchContext: Int] = [:]
    private var random: SplitMix64

    init(_ options: BenchOptions) {
        self.options = options
        random = SplitMix64(seed: options.seed)
        var random = SplitMix64(seed: options.seed &+ 1)
        for _ in 0..<options.people {
            let hasUser = random.next() % 10 < 3
            if hasUser { userCount += 1 }
            userOf.append(hasUser ? Int32(userCount) : 0)
            let dice = random.next() % 20
            let installs: Int32 = hasUser ? (dice == 0 ? 3 : dice < 6 ? 2 : 1) : 1
            installStart.append((installStart.last ?? 1) + installs)
        }
        let count = Int(installStart.last ?? 1)
        installFirst = [BenchFirst](repeating: BenchFirst(), count: count)
        anonymousFirst = installFirst
        userFirst = [BenchFirst](repeating: BenchFirst(), count: userCount + 1)
        makeOldHands()
    }

    var installCount: Int { installFirst.count - 1 }

    /// Whose a person's installs are; 0 for somebody without an account.
    func owner(person: Int) -> Int32 { userOf[person] }

    /// Each install with its person.
    func forEachInstall(_ body: (_ install: Int, _ person: Int) throws -> Void) rethrows {
        for person in 0..<options.people {
            for install in installStart[person]..<installStart[person + 1] { try body(Int(install), person) }
        }
    }

    /// Half of the people were there before the first day.
    private mutating func makeOldHands() {
        let start = dayStartMs(0)
        for person in 0..<options.people / 2 {
            for install in installStart[person]..<installStart[person + 1] {
                let ms = start - 1 - Int64(random.next() % (300 * 86_400_000))
                let context = contextNumber(install: install, day: -20)
                let user = userOf[person]
                installFirst[Int(install)].note(ms, context)
                let signsInLater = random.next() % 2 == 0
                if user == 0 || signsInLater { anonymousFirst[Int(install)].note(ms, context) }
                if user > 0 { userFirst[Int(user)].note(signsInLater ? ms + 3_600_000 : ms, context) }
            }
        }
    }

    func dayStartMs(_ day: Int) -> Int64 {
        Int64(options.first.advanced(by: day).number) * 86_400_000
    }

    private mutating func unit() -> Double { Double(random.next() >> 11) * 0x1p-53 }

    mutating func sessions(ofDay day: Int) -> [BenchSession] {
        let start = dayStartMs(day)
        return (0..<options.sessions).map { _ in
            let person = visitor(day)
            let installs = installStart[person]..<installStart[person + 1]
            let install = installs.lowerBound + Int32(random.next() % UInt64(installs.count))
            // Not every session of somebody with an account is signed in, but the first is.
            let isNew = userFirst[Int(userOf[person])].ms == .max
            let user = random.next() % 10 == 0 && !isNew ? 0 : userOf[person]
            let session = BenchSession(
                person: Int32(person + 1),
                install: install,
                user: user,
                context: contextNumber(install: install, day: day),
                startMs: start + timeOfDay(),
                durationMs: duration()
            )
            note(session)
            return session
        }
    }

    private mutating func visitor(_ day: Int) -> Int {
        let people = options.people
        while true {
            let x = unit()
            let rank = Int(Double(people) * x * x * x * x * x * x * x)
            let person = Int((UInt64(rank) &* 2_654_435_761 &+ 12_345) % UInt64(people))
            let newcomers = people - people / 2
            let joins = person < people / 2 ? 0 : (person - people / 2) * options.days / newcomers
            if joins <= day { return person }
        }
    }

    /// More by day than by night.
    private mutating func timeOfDay() -> Int64 {
        let hours = (unit() + unit() + unit()) / 3 * 20 + 4
        return Int64(hours * 3_600_000)
    }

    /// Three in five end; a median of about a minute and a half with a long tail.
    private mutating func duration() -> Int32 {
        guard random.next() % 10 < 6 else { return -1 }
        let x = unit()
        return Int32(min(7_200_000, 90_000 * x / (1.0001 - x)))
    }

    private mutating func note(_ session: BenchSession) {
        installFirst[Int(session.install)].note(session.startMs, session.context)
        if session.user > 0 {
            userFirst[Int(session.user)].note(session.startMs, session.context)
        } else {
            anonymousFirst[Int(session.install)].note(session.startMs, session.context)
        }
    }

    /// A device for good, and the version it has on a day: a new one each week, taken up over four.
    private mutating func contextNumber(install: Int32, day: Int) -> Int {
        var hash = SplitMix64(seed: UInt64(install))
        let device = Int(hash.next() % UInt64(Self.devices)) * Int(hash.next() % UInt64(Self.devices))
        let lag = Int(hash.next() % 8) * Int(hash.next() % 4)
        let context = BenchContext(device: device / Self.devices, version: (day + 63 - lag) / 7)
        if let known = contextNumbers[context] { return known }
        contextNumbers[context] = contexts.count
        contexts.append(context)
        return contexts.count - 1
    }

    /// The first event of each person who was ever there.
    func firsts() -> [(person: Int32, first: BenchFirst)] {
        (0..<options.people).compactMap { person in
            var first = userOf[person] > 0 ? userFirst[Int(userOf[person])] : BenchFirst()
            for install in installStart[person]..<installStart[person + 1] {
                let anonymous = anonymousFirst[Int(install)]
                first.note(anonymous.ms, anonymous.context)
            }
            return first.ms == .max ? nil : (Int32(person + 1), first)
        }
    }
}

/// A device with a version of the app.
struct BenchContext: Hashable {
    var device: Int
    var version: Int

    private static let platforms = ["ios", "android", "android", "web"]
    private static let countries = ["DE", "US", "FR", "BR", "IN", "JP", "GB"]

    private var kind: Int { device % 4 }

    var platform: String { Self.platforms[kind] }
    var osName: String { ["iOS", "Android", "Android", "Windows"][kind] }
    var osVersion: String { "\(10 + device % 7)" }
    var appVersion: String { "\(version / 10).\(version % 10)" }
    var deviceModel: String { "Model \(device)" }
    var deviceType: String { kind == 3 ? "desktop" : device % 9 == 0 ? "tablet" : "phone" }
    var country: String { Self.countries[device % Self.countries.count] }

    var values: [String] { [platform, osName, osVersion, appVersion, deviceModel, deviceType, country] }
}
