import Contracts
import ServiceKit
import Testing

@testable import ReaderCore

/// A map that took over changes is the map made anew from the rows as they are then.
@Suite struct PeopleChangesTests {
    @Test(arguments: Array(UInt64(1)...60))
    func changedMapIsTheMapMadeAnew(seed: UInt64) {
        var tables = PeopleTables(seed: seed)
        for _ in 0..<4 { tables.change() }
        var map = tables.map
        _ = tables.takeChanges()
        for _ in 0..<12 {
            let before = (map: map, facts: Facts(map, tables.greatest))
            for _ in 0..<tables.burst() { tables.change() }
            let changes = tables.takeChanges()
            let touched = Set(map.apply(changes))
            let facts = Facts(map, tables.greatest)
            #expect(facts == Facts(tables.map, tables.greatest), "seed \(seed)")
            guard map.mapping == before.map.mapping else { continue }
            expectNothingMoved(from: before.facts, to: facts, touched, tables.greatest)
        }
    }

    /// While `mapping` stays, whoever was somebody stays the same, and first events change at the moments that are named.
    private func expectNothingMoved(
        from before: Facts,
        to now: Facts,
        _ touched: Set<Int64>,
        _ greatest: Int32
    ) {
        for (key, subject) in before.subjects where subject > 0 {
            #expect(now.subjects[key] == subject)
        }
        for (key, first) in before.firsts where now.firsts[key] != first {
            for moment in [first, now.firsts[key] ?? .never] where moment.ms != .max {
                #expect(touched.contains(moment.ms))
            }
        }
    }
}

/// Everything a report may ask a map.
private struct Facts: Equatable {
    struct Row: Hashable {
        var unit: ReportUnit
        var install: Int32
        var user: Int32 = 0
    }

    var subjects: [Row: Int32] = [:]
    var firsts: [Row: PeopleMap.First] = [:]

    init(_ map: PeopleMap, _ greatest: Int32) {
        for unit in ReportUnit.allCases {
            for install in 0...greatest {
                for user in 0...greatest {
                    let subject = map.subject(install: install, user: user, unit: unit)
                    subjects[Row(unit: unit, install: install, user: user)] = subject
                    // The first event of nobody is asked for by no one.
                    guard subject > 0 else { continue }
                    firsts[Row(unit: unit, install: subject)] = map.first(of: Int(subject), unit: unit)
                }
            }
        }
    }
}

/// The rows of installs and users, and which of them changed.
private struct PeopleTables {
    let greatest: Int32 = 9
    private var random: SplitMix64
    private var installs: [Int32: PeopleMap.Install] = [:]
    private var users: [Int32: PeopleMap.User] = [:]
    private var touchedInstalls: Set<Int32> = []
    private var touchedUsers: Set<Int32> = []
    /// A number is never given out again.
    private var goneInstalls: Set<Int32> = []
    private var goneUsers: Set<Int32> = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    var map: PeopleMap { PeopleMap(installs: Array(installs.values), users: Array(users.values)) }

    mutating func burst() -> Int { Int.random(in: 0...3, using: &random) }

    mutating func takeChanges() -> PeopleChanges {
        defer { (touchedInstalls, touchedUsers) = ([], []) }
        var changes = PeopleChanges()
        for number in touchedInstalls.sorted() {
            if let row = installs[number] {
                changes.installs.append(row)
            } else {
                changes.deletedInstalls.append(number)
            }
        }
        for number in touchedUsers.sorted() {
            if let row = users[number] {
                changes.users.append(row)
            } else {
                changes.deletedUsers.append(number)
            }
        }
        return changes
    }

    mutating func change() {
        let number = Int32.random(in: 1...greatest, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: erase(install: number)
        case 1: erase(user: number)
        case 2: replaceFirst(number)
        case 3...6: signIn(number)
        default: event(number)
        }
    }

    /// Few moments and ids, so that ties occur.
    private mutating func someEvent() -> PeopleMap.FirstEvent {
        .at(
            .random(in: 1...30, using: &random),
            insertID: .random(in: 1...3, using: &random),
            context: .random(in: 1...4, using: &random)
        )
    }

    private func smaller(_ one: PeopleMap.FirstEvent?, _ other: PeopleMap.FirstEvent) -> PeopleMap.FirstEvent
    {
        guard let one, (one.ms, one.insertID) <= (other.ms, other.insertID) else { return other }
        return one
    }

    /// An anonymous event of an install.
    private mutating func event(_ number: Int32) {
        let event = someEvent()
        guard !goneInstalls.contains(number) else { return }
        var row = installs[number] ?? PeopleMap.Install(number: number)
        row.first = smaller(row.first, event)
        row.anonymousFirst = smaller(row.anonymousFirst, event)
        installs[number] = row
        touchedInstalls.insert(number)
    }

    /// An event with a user: it may make the user, and the install's owner, also instead of another one.
    private mutating func signIn(_ number: Int32) {
        let event = someEvent()
        let user = Int32.random(in: 1...greatest, using: &random)
        guard !goneInstalls.contains(number), !goneUsers.contains(user) else { return }
        var row = installs[number] ?? PeopleMap.Install(number: number)
        row.first = smaller(row.first, event)
        if row.owner == 0 || Int.random(in: 0..<4, using: &random) == 0 { row.owner = user }
        installs[number] = row
        touchedInstalls.insert(number)
        users[user] = PeopleMap.User(number: user, first: smaller(users[user]?.first, event))
        touchedUsers.insert(user)
    }

    /// After an erasure the next event is the first one.
    private mutating func replaceFirst(_ number: Int32) {
        let event = someEvent()
        if var row = installs[number] {
            row.anonymousFirst = Bool.random(using: &random) ? nil : event
            row.first = event
            installs[number] = row
            touchedInstalls.insert(number)
        }
        if users[number] != nil {
            users[number]?.first = event
            touchedUsers.insert(number)
        }
    }

    private mutating func erase(install number: Int32) {
        guard installs.removeValue(forKey: number) != nil else { return }
        goneInstalls.insert(number)
        touchedInstalls.insert(number)
    }

    private mutating func erase(user number: Int32) {
        guard users.removeValue(forKey: number) != nil else { return }
        goneUsers.insert(number)
        touchedUsers.insert(number)
    }
}
