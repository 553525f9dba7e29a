import Foundation
import Testing

extension PipelineTests.WholeStackTests {
    /// Goal: history comes in with its own dates, and importing it again changes nothing.
    @Suite struct ImportTests {
        private let dayMs: Int64 = 86_400_000

        /// A session a day for five days that are older than ingest would take; one event the checks reject, one line they refuse.
        private func history(firstMs: Int64) -> (lines: [[UInt8]], install: String) {
            var make = EventMaker(seed: 40)
            let install = make.uuid()
            var lines: [[UInt8]] = []
            for day in 0..<5 {
                let startMs = firstMs + Int64(day) * dayMs
                var events = make.session(at: startMs, install: install)
                if day == 2 {
                    events.append(events[1])
                    events[2].insertID = make.uuid()
                    events[2].durationMs = nil
                }
                lines.append(TestBatch(events: events, sentAtMs: startMs + 100_000).bytes)
            }
            lines.insert(Array(#"{"events":[]}"#.utf8), at: 3)
            return (lines, install)
        }

        @Test func historyIsImportedOnceHoweverOften() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            let days = TestDays()
            let (lines, install) = history(firstMs: days.noon(daysAgo: 45))
            stack.keepSecret([install])
            let path = stack.directory + "/history.ndjson"
            try Data(lines.joined(separator: [0x0A])).write(to: URL(filePath: path))
            let reports = try await Reports(stack, app)
            let range = (from: days.date(daysAgo: 46), to: days.date(daysAgo: 40))
            var snapshots: [[JSON]] = []

            for _ in 0..<2 {
                let result = try await stack.fgctl("import", path, "--app", app.id)
                #expect(result.exitCode == 1)
                #expect(result.json == ["accepted": 10, "rejected": 1, "warnings": 0, "refused_batches": 1])
                #expect(result.errors.contains("line 4: invalid_batch"))
                try await stack.closeDays()
                snapshots.append(try await reports.snapshot(from: range.from, to: range.to))
            }

            #expect(snapshots[0] == snapshots[1])
            let sessions = try await reports.series("sessions", from: range.from, to: range.to)
            #expect(sessions[days.date(daysAgo: 46)] == 0)
            for daysAgo in 41...45 { #expect(sessions[days.date(daysAgo: daysAgo)] == 1) }
            let summary = try await reports.summary(from: range.from, to: range.to)
            #expect(summary["sessions"] == 5)
            #expect(summary["active"] == 1)
            #expect(summary["avg_duration_ms"] == 95_000)
        }

        @Test func aCleanImportExitsWithZero() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 41)
            let startMs = TestDays().noon(daysAgo: 200)
            let batch = TestBatch(events: make.session(at: startMs), sentAtMs: startMs + 200_000)
            let path = stack.directory + "/clean.ndjson"
            try Data(batch.bytes + [0x0A]).write(to: URL(filePath: path))

            let result = try await stack.fgctl("import", path, "--app", app.id)

            #expect(result.exitCode == 0)
            #expect(result.json["accepted"] == 2)
        }
    }
}
