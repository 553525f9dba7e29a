import Postgres
import ServiceKit
import Testing

extension PipelineTests.WholeStackTests {
    /// Goal: what a reader answers while things happen, and about what is not there, is the truth or says that it is none.
    @Suite struct LiveReadTests {
        private let days = TestDays()

        /// Within ten seconds of the answer to its batch; the pause is longer for machines that are busy with other tests.
        @Test func anEventIsInRealtimeSoonAfterItsAnswer() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp(timezone: "Asia/Kathmandu")
            let key = try await stack.createReadKey(app: app)
            var make = EventMaker(seed: 21)
            for round in 1...3 {
                var events = make.session(at: SystemWallClock().nowMs() - 1_000)
                events.removeLast()
                #expect(try await stack.post(TestBatch(events: events), key: app.anyKey).status == 200)
                var realtime = JSON.null
                try await wait(until: "realtime shows the event") {
                    let answer = try await stack.read("/v1/apps/\(app.id)/realtime", key: key)
                    try #require(answer.status == 200 || answer.status == 429, "\(answer.text)")
                    realtime = answer.json
                    return realtime["active_now"].int == round
                }
                let latest = realtime["events"][0]
                #expect(latest["install_id"].string == events[0].install, "\(realtime)")
                #expect(latest["name"] == "session_start")
            }
        }

        @Test func anAppWithoutEventsIsZerosEverywhere() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp(timezone: "Pacific/Apia")
            let key = try await stack.createReadKey(app: app)
            let range = "from=2011-12-25&to=2012-01-03"
            func get(_ path: String) async throws -> JSON {
                let answer = try await stack.read("/v1/apps/\(app.id)/\(path)", key: key)
                #expect(answer.status == 200, "\(path): \(answer.text)")
                return answer.json
            }
            let summary = try await get("audience/summary?\(range)")
            for figures in [summary, summary["compare"]] {
                #expect([figures["active"], figures["new"], figures["sessions"]] == [0, 0, 0])
                #expect([figures["avg_duration_ms"], figures["median_duration_ms"]] == [.null, .null])
            }
            let series = try await get("audience/timeseries?\(range)&metric=active&compare=none")
            // Samoa skipped 30 December 2011.
            #expect(series["points"].list.count == 9)
            #expect(series["points"].list.allSatisfy { $0["value"] == 0 })
            let rolling = try await get("audience/rolling-active?\(range)")
            #expect(rolling["points"].list.allSatisfy { $0["dau"] == 0 && $0["mau"] == 0 })
            let breakdown = try await get("audience/breakdown?\(range)&dimension=country")
            #expect(breakdown["items"] == [] && breakdown["total"]["sessions"] == 0)
            let retention = try await get("retention?\(range)")
            #expect(retention["cohorts"].list.allSatisfy { $0["size"] == 0 })
            #expect(retention["average"].list.allSatisfy { $0 == .null })
            let realtime = try await get("realtime")
            #expect(realtime["active_now"] == 0 && realtime["events"] == [])
            #expect(try await get("integration/health")["first_event_at"] == .null)
            #expect(try await get("profiles?user_id=nobody")["items"] == [])
            let portfolio = try await stack.read("/v1/portfolio", key: key)
            let item = portfolio.json["items"][0]
            #expect(
                item["dau"] == 0 && item["d1"] == .null && item["delta_pct"] == .null,
                "\(portfolio.text)"
            )
        }

        /// A figure without the day would be wrong and nobody would see it, so there is none; other days are not touched.
        @Test func aDamagedDayIsAnErrorAndOtherDaysAnswer() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 23)
            for daysAgo in [3, 2, 1] {
                let batch = TestBatch(events: make.session(at: days.noon(daysAgo: daysAgo)))
                #expect(try await stack.post(batch, key: app.anyKey).status == 200)
            }
            try await stack.closeDays()
            let reports = try await Reports(stack, app)
            let damaged = days.date(daysAgo: 2)
            try await stack.change(
                """
                UPDATE closed_days SET block = set_byte(block, 0, get_byte(block, 0) # 255), revision = revision + 1
                WHERE app_no = (SELECT app_no FROM apps WHERE app_id = '\(app.id)') AND day = '\(damaged)'
                """
            )

            let range = "from=\(days.date(daysAgo: 3))&to=\(days.date(daysAgo: 1))"
            for path in [
                "audience/summary?\(range)", "audience/timeseries?metric=sessions&\(range)",
                "audience/breakdown?dimension=platform&\(range)", "retention?\(range)",
            ] {
                let answer = try await stack.read("/v1/apps/\(app.id)/\(path)", key: reports.key)
                #expect(
                    answer.status == 500 && answer.errorCode == "internal_error",
                    "\(path): \(answer.text)"
                )
            }
            let reader = try await stack.running(.reader).process
            try await reader.line("day_damaged") { $0["day"].string == damaged }
            for daysAgo in [3, 1] {
                let day = days.date(daysAgo: daysAgo)
                #expect(try await reports.summary(from: day, to: day)["sessions"] == 1)
            }

            // An event of the day builds it anew, and everything is there again.
            let late = TestBatch(events: make.session(at: days.noon(daysAgo: 2) + 60_000))
            #expect(try await stack.post(late, key: app.anyKey).status == 200)
            try await stack.closeDays()
            let whole = try await reports.summary(from: days.date(daysAgo: 3), to: days.date(daysAgo: 1))
            #expect(whole["sessions"] == 4)
        }
    }
}

extension PipelineTests {
    /// Goal: a change of zone shows all days of the old zone or all of the new one.
    @Suite struct ZoneChangeHalfWayTests {
        @Test(arguments: [UInt64(31)])
        func reportsStayInTheOldZoneUntilAllDaysAreThere(seed: UInt64) async throws {
            try await Stack.run([.ingest, .aggregator, .reader]) { stack in
                let app = try await stack.createApp(timezone: "Asia/Kathmandu")
                let judge = try await stack.createApp(timezone: "America/New_York")
                var world = World(seed: seed)
                for batch in world.batches(20) {
                    for key in [app.anyKey, judge.anyKey] { _ = try await stack.post(batch, key: key) }
                }
                try await stack.closeDays()
                let (reports, judged) = (try await Reports(stack, app), try await Reports(stack, judge))
                let range = world.range
                let old = try await reports.snapshot(from: range.from, to: range.to)
                let new = try await judged.snapshot(from: range.from, to: range.to)
                try #require(old != new)

                // Nobody builds the new days, until one of them is there.
                #expect(try await stack.running(.aggregator).process.terminate() == 0)
                try await stack.fgctl("app", "timezone", "--app", app.id, "--timezone", "America/New_York")
                    .requireSuccess()
                #expect(try await reports.snapshot(from: range.from, to: range.to) == old)
                try await stack.change(
                    """
                    INSERT INTO closed_days (app_no, environment, day, revision, cause, closed_at, first_at, end_at, timezone,
                        tzdata_version, sessions, sessions_ended, duration_ms_sum, block, neighbour_days, neighbour_digests, zone_version)
                    SELECT a.app_no, d.environment, d.day, 1, 'zone', now(), d.first_at, d.end_at, d.timezone, d.tzdata_version,
                        d.sessions, d.sessions_ended, d.duration_ms_sum, d.block, '{}', '{}', 2
                    FROM closed_days d, apps a
                    WHERE a.app_id = '\(app.id)' AND d.app_no = (SELECT app_no FROM apps WHERE app_id = '\(judge.id)')
                      AND extract(day FROM d.day)::int % 2 = 0
                    """
                )
                #expect(try await reports.snapshot(from: range.from, to: range.to) == old, "half of the days")
                let read = try await stack.read("/v1/apps/\(app.id)", key: reports.key)
                #expect(read.json["timezone"] == "Asia/Kathmandu")

                _ = try await stack.start(.aggregator)
                try await wait(until: "the change is done") {
                    try await stack.closeDays()
                    return try await stack.read("/v1/apps/\(app.id)", key: reports.key).json["timezone"]
                        == "America/New_York"
                }
                #expect(try await reports.snapshot(from: range.from, to: range.to) == new)
            }
        }
    }
}

extension Stack {
    /// Changes tables behind the services' backs.
    func change(_ statement: String) async throws {
        _ = try await database.use { try await $0.script(statement) }
    }
}
