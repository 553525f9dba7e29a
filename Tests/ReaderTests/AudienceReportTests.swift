import Calendar
import Testing
import Wire

@testable import ReaderCore

@Suite struct AudienceReportTests {
    /// User 1 since 1 March with context 1, user 2 since 3 March with context 2; installs 1 and 2 are theirs, 3 is nobody's.
    private func people() throws -> PeopleMap {
        PeopleMap(
            installs: [
                .init(number: 1, owner: 1, first: .on(try march(1))),
                .init(number: 2, owner: 2, first: .on(try march(3), context: 2)),
                .init(number: 3, first: .on(try march(2)), anonymousFirst: .on(try march(2))),
            ],
            users: [
                .init(number: 1, first: .on(try march(1))),
                .init(number: 2, first: .on(try march(3), context: 2)),
            ]
        )
    }

    private static let contexts: [Int32: ReportContext] = [
        1: ReportContext(platform: "ios", appVersion: "3.4.0", osName: "iOS", country: "DE"),
        2: ReportContext(platform: "android", appVersion: "3.5.0", country: "FR"),
    ]

    private func totals(
        _ days: [ReportDay],
        unit: ReportUnit = .persons,
        _ filter: [ReportFilter.Field: Set<String?>] = [:]
    ) throws -> AudienceTotals {
        let data = ReportData(days: days, people: try people(), contexts: Self.contexts)
        let question = ReportQuestion(unit: unit, filter: ReportFilter(filter))
        return AudienceReport.totals(data, question, days: data.days[...])
    }

    // MARK: active

    @Test func personActiveOnThreeDaysIsOneOfTheWeek() throws {
        let days = try [2, 4, 6].map { ReportDay(try march($0), [.of(install: 1, user: 1)]) }
        #expect(try totals(days).active == 1)
        #expect(try days.map { try totals([$0]).active } == [1, 1, 1])
    }

    @Test func personOnTwoInstallsIsOnePersonAndTwoInstalls() throws {
        let days = [ReportDay(try march(2), [.of(install: 1, user: 1), .of(install: 2, user: 1)])]
        #expect(try totals(days).active == 1)
        #expect(try totals(days, unit: .installs).active == 2)
    }

    @Test func twoAccountsOnOneInstallAreTwoPersonsAndOneInstall() throws {
        let days = [ReportDay(try march(3), [.of(install: 1, user: 1), .of(install: 1, user: 2)])]
        #expect(try totals(days).active == 2)
        #expect(try totals(days, unit: .installs).active == 1)
    }

    @Test func anonymousDaysCountForTheOwner() throws {
        let days = [ReportDay(try march(1), [.of(install: 1), .of(install: 1, user: 1)])]
        #expect(try totals(days).active == 1)
    }

    @Test func activityWithoutASessionCountsThePersonOnly() throws {
        let days = [ReportDay(try march(5), [.of(install: 3, isSession: false)])]
        #expect(
            try totals(days)
                == AudienceTotals(
                    active: 1,
                    new: 0,
                    sessions: 0,
                    averageDurationMs: nil,
                    medianDurationMs: nil
                )
        )
    }

    @Test func rowsOfNobodyKnownCountForNothing() throws {
        let days = [
            ReportDay(
                try march(2),
                [.of(install: 9, durationMs: 5), .of(install: 1, user: 7, durationMs: 5)]
            )
        ]
        #expect(try totals(days) == AudienceTotals())
    }

    @Test func noDaysAreZerosAndNoAverages() throws {
        #expect(try totals([]) == AudienceTotals())
    }

    // MARK: new

    @Test func newIsWhoseFirstEventLiesInTheSpan() throws {
        let rows: [DayBlock.Row] = [.of(install: 1, user: 1), .of(install: 2, user: 2), .of(install: 3)]
        let days = try [1, 2, 3].map { ReportDay(try march($0), rows) }
        #expect(try totals(days).new == 3)
        #expect(try days.map { try totals([$0]).new } == [1, 1, 1])
        #expect(try totals([ReportDay(try march(4), rows)]).new == 0)
    }

    @Test func newFollowsTheUnit() throws {
        // Install 2 came on the 3rd; its person on that day, user 1, on the 1st.
        let days = [ReportDay(try march(3), [.of(install: 2, user: 1)])]
        #expect(try totals(days).new == 0)
        #expect(try totals(days, unit: .installs).new == 1)
    }

    @Test func newBeginsWithTheDaysFirstInstant() throws {
        let third = LocalZone.utc.bounds(of: try march(3))
        for (ms, expected) in [
            (third.lowerBound - 1, 0), (third.lowerBound, 1), (third.upperBound - 1, 1),
            (third.upperBound, 0),
        ] {
            let people = PeopleMap(installs: [.init(number: 1, anonymousFirst: .at(ms))], users: [])
            let days = [ReportDay(try march(3), [.of(install: 1)])]
            let data = ReportData(days: days, people: people, contexts: [:])
            #expect(AudienceReport.totals(data, ReportQuestion(), days: data.days[...]).new == expected)
        }
    }

    @Test func newUnderAFilterIsWhoseFirstEventMatches() throws {
        // Both are active with both contexts on the 3rd, on which user 2 came with android.
        let days = [
            ReportDay(
                try march(3),
                [
                    .of(install: 1, user: 1, context: 1), .of(install: 1, user: 1, context: 2),
                    .of(install: 2, user: 2, context: 1), .of(install: 2, user: 2, context: 2),
                ]
            )
        ]
        let android = try totals(days, [.platform: ["android"]])
        #expect((android.active, android.new) == (2, 1))
        let ios = try totals(days, [.platform: ["ios"]])
        #expect((ios.active, ios.new) == (2, 0))
    }

    /// An end may name another context than its session, and still be somebody's first event.
    @Test func newUnderAFilterNeedNotBeActiveUnderIt() throws {
        let android = try totals(
            [ReportDay(try march(3), [.of(install: 2, user: 2, context: 1)])],
            [.platform: ["android"]]
        )
        #expect((android.active, android.new) == (0, 1))
    }

    // MARK: filters

    private func mixedDay() throws -> [ReportDay] {
        let rows: [DayBlock.Row] = [
            .of(install: 1, user: 1, durationMs: 10, context: 1),
            .of(install: 2, user: 2, durationMs: 30, context: 2),
            .of(install: 3, durationMs: 50, context: 99),
        ]
        return [ReportDay(try march(5), rows)]
    }

    @Test func filterLooksAtTheRowsItMatches() throws {
        let ios = try totals(mixedDay(), [.platform: ["ios"]])
        #expect(ios == AudienceTotals(active: 1, sessions: 1, averageDurationMs: 10, medianDurationMs: 10))
    }

    @Test func valuesOfOneFieldAreAlternatives() throws {
        #expect(try totals(mixedDay(), [.appVersion: ["3.4.0", "3.5.0"]]).sessions == 2)
    }

    @Test func differentFieldsMustAllMatch() throws {
        #expect(try totals(mixedDay(), [.appVersion: ["3.4.0", "3.5.0"], .country: ["FR"]]).sessions == 1)
        #expect(try totals(mixedDay(), [.platform: ["ios"], .country: ["FR"]]).sessions == 0)
    }

    @Test func nilSelectsWhatHasNoValue() throws {
        #expect(try totals(mixedDay(), [.osName: [nil]]).active == 1)
        #expect(try totals(mixedDay(), [.osName: [nil, "iOS"]]).active == 2)
    }

    @Test func emptyTextIsNotAbsent() throws {
        #expect(try totals(mixedDay(), [.osName: [""]]).active == 0)
    }

    @Test func contextThatIsUnknownMatchesNoFilterAndCountsWithoutOne() throws {
        #expect(try totals(mixedDay(), [.platform: ["ios", "android"]]).sessions == 2)
        #expect(try totals(mixedDay()).sessions == 3)
    }

    // MARK: durations

    private func durations(_ days: [[Int32]]) throws -> AudienceTotals {
        try totals(
            days.enumerated().map { index, values in
                ReportDay(
                    try march(index + 5),
                    values.map { .of(install: 1, user: 1, durationMs: $0) }
                )
            }
        )
    }

    @Test(
        arguments: [
            ([1, 2], 2), ([0, 100], 50), ([1, 1, 2], 1), ([1, 2, 2], 2), ([0], 0),
        ] as [([Int32], Int64)]
    )
    func averageRoundsHalfUp(values: [Int32], expected: Int64) throws {
        #expect(try durations([values]).averageDurationMs == expected)
    }

    @Test(
        arguments: [
            ([10, 1, 3, 2], 3), ([5, 1, 3], 3), ([0, 100], 50), ([7], 7), ([2, 4], 3),
        ] as [([Int32], Int64)]
    )
    func medianRoundsTheMeanOfTheTwoMiddleValuesHalfUp(values: [Int32], expected: Int64) throws {
        #expect(try durations([values]).medianDurationMs == expected)
    }

    @Test func sessionWithoutAnEndIsLeftOutOfAverages() throws {
        let totals = try durations([[-1, 100, 200]])
        #expect(totals.sessions == 3)
        #expect(totals.averageDurationMs == 150)
        #expect(totals.medianDurationMs == 150)
    }

    @Test func sessionOfNoLengthIsCounted() throws {
        #expect(try durations([[0, 0, 90]]).averageDurationMs == 30)
        #expect(try durations([[0, 0, 90]]).medianDurationMs == 0)
    }

    @Test func sessionsWithoutAnyEndHaveNoAverage() throws {
        let totals = try durations([[-1, -1]])
        #expect(totals.sessions == 2)
        #expect(totals.averageDurationMs == nil)
        #expect(totals.medianDurationMs == nil)
    }

    @Test func sumsBeyond32BitsStayExact() throws {
        let totals = try durations([[Int32](repeating: 86_400_000, count: 30)])
        #expect(totals.averageDurationMs == 86_400_000)
        #expect(totals.medianDurationMs == 86_400_000)
    }

    @Test func averageOfARangeIsWeightedBySessions() throws {
        // The mean of the daily means would be 55.
        #expect(try durations([[10, 10, 10], [100]]).averageDurationMs == 33)
    }
}
