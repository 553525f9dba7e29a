import Contracts
import Testing

@testable import ReaderCore

@Suite struct PeopleMapTests {
    /// Users 1 and 2; install 1 belongs to user 2, install 2 to nobody.
    private let people = PeopleMap(
        installs: [
            .init(number: 1, owner: 2, first: .at(100), anonymousFirst: .at(100)),
            .init(number: 2, first: .at(50, context: 7), anonymousFirst: .at(50, context: 7)),
        ],
        users: [.init(number: 1, first: .at(300)), .init(number: 2, first: .at(200, context: 9))]
    )

    @Test func anonymousRowBelongsToTheFirstOwner() {
        #expect(people.subject(install: 1, user: 0, unit: .persons) == 4)
    }

    @Test func rowWithAUserBelongsToThatUserWhoeverOwnsTheInstall() {
        #expect(people.subject(install: 1, user: 1, unit: .persons) == 2)
    }

    @Test func installNobodySignedInOnIsAPersonOfItsOwn() {
        let person = people.subject(install: 2, user: 0, unit: .persons)
        #expect(person == 5)
        #expect(people.subjectLimit(.persons) == 6)
    }

    @Test func installsAreCountedWhoeverUsesThem() {
        #expect(people.subject(install: 1, user: 1, unit: .installs) == 1)
        #expect(people.subject(install: 1, user: 2, unit: .installs) == 1)
        #expect(people.subjectLimit(.installs) == 3)
    }

    @Test func ownersFirstEventIsTheAnonymousOneBeforeTheSignIn() {
        #expect(people.first(of: 4, unit: .persons) == .init(ms: 100, context: 1))
    }

    @Test func ownersFirstEventIsTheirsWhenTheInstallCameLater() {
        let people = PeopleMap(
            installs: [.init(number: 1, owner: 1, first: .at(500), anonymousFirst: .at(500))],
            users: [.init(number: 1, first: .at(200, context: 3))]
        )
        #expect(people.first(of: 2, unit: .persons) == .init(ms: 200, context: 3))
    }

    @Test func userWhoOwnsNoInstallKeepsTheirOwnFirstEvent() {
        #expect(people.first(of: 2, unit: .persons) == .init(ms: 300, context: 1))
    }

    @Test func firstEventOfAnInstallIsWhoeversItWas() {
        let people = PeopleMap(
            installs: [.init(number: 1, owner: 1, first: .at(10, context: 4), anonymousFirst: .at(20))],
            users: [.init(number: 1, first: .at(10))]
        )
        #expect(people.first(of: 1, unit: .installs) == .init(ms: 10, context: 4))
    }

    @Test func installThatWasNeverAnonymousGivesItsOwnerNoFirst() {
        let people = PeopleMap(
            installs: [.init(number: 1, owner: 1, first: .at(10))],
            users: [.init(number: 1, first: .at(90))]
        )
        #expect(people.first(of: 2, unit: .persons).ms == 90)
    }

    @Test(arguments: ReportUnit.allCases)
    func unknownInstallIsNobody(unit: ReportUnit) {
        #expect(people.subject(install: 3, user: 0, unit: unit) == 0)
        #expect(people.subject(install: 0, user: 0, unit: unit) == 0)
    }

    @Test(arguments: ReportUnit.allCases)
    func installThatWasErasedIsNobody(unit: ReportUnit) {
        let people = PeopleMap(installs: [.init(number: 1), .init(number: 3)], users: [])
        #expect(people.subject(install: 2, user: 0, unit: unit) == 0)
    }

    @Test func unknownUserIsNobodyAndNotTheOwner() {
        #expect(people.subject(install: 1, user: 3, unit: .persons) == 0)
    }

    @Test func userWhoWasErasedIsNobody() {
        let people = PeopleMap(
            installs: [.init(number: 1, owner: 2)],
            users: [.init(number: 1), .init(number: 3)]
        )
        #expect(people.subject(install: 1, user: 2, unit: .persons) == 0)
        #expect(people.subject(install: 1, user: 0, unit: .persons) == 0)
        #expect(people.subject(install: 1, user: 2, unit: .installs) == 1)
    }

    @Test func ownerBeyondTheKnownUsersIsNobody() {
        let people = PeopleMap(installs: [.init(number: 1, owner: 40, anonymousFirst: .at(5))], users: [])
        #expect(people.subject(install: 1, user: 0, unit: .persons) == 0)
    }

    @Test func emptyWorldHasNobody() {
        let people = PeopleMap(installs: [], users: [])
        #expect(people.subject(install: 1, user: 1, unit: .persons) == 0)
        #expect(people.subjectLimit(.persons) == 2)
    }

    /// Numbers follow the order of arrival, which a replay may change; insert ids never change.
    @Test(arguments: [[Int32(1), 2], [2, 1]])
    func ofFirstEventsAtOneMomentTheSmallerInsertIDDecides(numbers: [Int32]) {
        let people = PeopleMap(
            installs: [
                .init(number: numbers[0], owner: 1, anonymousFirst: .at(10, insertID: 8, context: 80)),
                .init(number: numbers[1], owner: 1, anonymousFirst: .at(10, insertID: 5, context: 50)),
            ],
            users: [.init(number: 1, first: .at(10, insertID: 6, context: 60))]
        )
        #expect(people.first(of: 2, unit: .persons) == .init(ms: 10, context: 50))
    }
}
