import Foundation
import Testing

extension PipelineTests {
    /// Goal: the commands that the contract shows for reading and deleting do what it says they do, against real services.
    ///
    /// Method: they are run as they stand there; only the host, the key and the app's id are those of the test.
    @Suite(.stack(.ingest, .aggregator, .reader), .serialized) struct ContractExampleTests {
        /// Tab, and new line, as the shell and jq write them.
        @Test func appsAreListedWithTabs() async throws {
            let reading = try await Reading(Stack.shared())
            let text = try await reading.run(
                #"""
                curl -sS https://api.analytics.example.com/v1/apps \
                  -H "Authorization: Bearer $AM_SK" \
                  | jq -r '.items[] | [.id, .platform, .timezone, .name] | @tsv'
                """#
            )
            #expect(text == "\(reading.app.id)\tios\tEurope/Moscow\tPipeline\n")
        }

        @Test func dailyActiveUsersAreOneLineADay() async throws {
            let reading = try await Reading(Stack.shared())
            let text = try await reading.run(
                #"""
                APP_ID="0199d5f0-0000-7000-8000-000000000002"
                curl -sS -G "https://api.analytics.example.com/v1/apps/$APP_ID/audience/timeseries" \
                  -H "Authorization: Bearer $AM_SK" \
                  --data-urlencode "from=2026-10-06" \
                  --data-urlencode "to=2026-10-12" \
                  --data-urlencode "metric=active" \
                  --data-urlencode "granularity=day" \
                  --data-urlencode "compare=none" \
                  | jq -r '.points[] | "\(.ts[0:10])\t\(.value)"'
                """#
            )
            let expected = (6...12).map { "2026-10-\($0 < 10 ? "0" : "")\($0)\t\($0 == 7 ? 2 : 0)\n" }
            #expect(text == expected.joined())
        }

        @Test func summaryOfTwoVersionsHasItsComparison() async throws {
            let reading = try await Reading(Stack.shared())
            let text = try await reading.run(
                #"""
                curl -sS -G "https://api.analytics.example.com/v1/apps/$APP_ID/audience/summary" \
                  -H "Authorization: Bearer $AM_SK" \
                  --data-urlencode "from=2026-10-06" \
                  --data-urlencode "to=2026-10-12" \
                  --data-urlencode "platform=ios" \
                  --data-urlencode "app_version=3.4.0" \
                  --data-urlencode "app_version=3.5.0"
                """#
            )
            let json = try JSON(parsing: Array(text.utf8))
            #expect(json["active"] == 2 && json["sessions"] == 2 && json["avg_duration_ms"] == 95_000)
            #expect(json["compare"]["from"] == "2026-09-29" && json["compare"]["to"] == "2026-10-05")
            #expect(json["compare"]["delta_pct"]["median_duration_ms"] == .null)
        }

        /// The loop ends by itself, and with `done` the person is nowhere.
        @Test func deletionLoopEndsWithDone() async throws {
            let stack = try Stack.shared()
            let reading = try await Reading(stack)
            let query = "/v1/apps/\(reading.app.id)/profiles?user_id=acct_8f14e45f"
            #expect(try await stack.read(query, key: reading.key).json["items"].list.count == 1)
            let text = try await reading.run(
                #"""
                APP_ID="0199d5f0-0000-7000-8000-000000000002"
                REQUEST_ID=$(curl -sS -X POST "https://api.analytics.example.com/v1/apps/$APP_ID/deletion-requests" \
                  -H "Authorization: Bearer $AM_SK" \
                  -H "Content-Type: application/json" \
                  -d '{"subject_type": "user", "subject_value": "acct_8f14e45f"}' \
                  | jq -r .id)

                while :; do
                  STATUS=$(curl -sS "https://api.analytics.example.com/v1/apps/$APP_ID/deletion-requests/$REQUEST_ID" \
                    -H "Authorization: Bearer $AM_SK" | jq -r .status)
                  echo "$STATUS"
                  case "$STATUS" in
                    pending | running) sleep 10 ;;
                    *) break ;; # done, failed, or a request error
                  esac
                done
                """#
            )
            let statuses = text.split(separator: "\n")
            #expect(statuses.last == "done")
            #expect(statuses.dropLast().allSatisfy { ["pending", "running"].contains($0) }, "\(text)")
            #expect(try await stack.read(query, key: reading.key).json["items"] == [])
            try await stack.closeDays()
            let reports = try await Reports(stack, reading.app)
            #expect(try await reports.summary(from: "2026-10-06", to: "2026-10-12")["active"] == 1)
        }
    }
}

/// Somebody who reads the reports of an app with a session of two people on 7 October.
private struct Reading {
    let app: TestApp
    let key: String
    private let stack: Stack

    init(_ stack: Stack) async throws {
        self.stack = stack
        app = try await stack.createApp(platforms: ["ios"], timezone: "Europe/Moscow")
        key = try await stack.createKey(scopes: ["read", "delete"], app: app)
        var make = EventMaker(seed: 90)
        // Noon of 7 October 2026 in UTC; imports take what live batches are too late for.
        let noonMs: Int64 = 1_791_374_400_000
        let lines = [("acct_8f14e45f", "3.4.0"), ("acct_other", "3.5.0")].map { user, version in
            TestBatch(
                events: make.session(at: noonMs, user: user),
                sentAtMs: noonMs + 3_600_000,
                context: ["platform": "ios", "app_version": .text(version)]
            ).bytes
        }
        let path = stack.directory + "/\(app.id).ndjson"
        try Data(lines.joined(separator: [0x0A])).write(to: URL(filePath: path))
        try await stack.fgctl("import", path, "--app", app.id).requireSuccess()
        try await stack.closeDays()
    }

    /// Runs a command of the contract.
    func run(_ command: String) async throws -> String {
        let port = try await stack.running(.reader).servicePort ?? 0
        let shell = try Shell(
            directory: stack.directory + "/contract-\(app.id)",
            settings: ["APP_ID": app.id, "AM_SK": key]
        )
        let own = command.replacing("https://api.analytics.example.com", with: "http://127.0.0.1:\(port)")
            .replacing("0199d5f0-0000-7000-8000-000000000002", with: app.id)
        let result = try await shell.run(own)
        #expect(result.exitCode == 0, "\(result.text)")
        return result.text
    }
}
