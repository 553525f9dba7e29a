import Foundation
import Testing

extension PipelineTests {
    /// Goal: a client's address exists only in memory for the look-up; a personal user id and a write key go no further than they must.
    ///
    /// Method: accepted, rejected and refused batches with known addresses, the log at its most talkative; then a search of all there is.
    @Suite(.enabled(if: TestSetting.python != nil, "set TEST_PYTHON")) struct NothingKeptTests {
        private static let named = "81.2.69.142"
        private static let namedV6 = "2a02:d280:12:34:56:78:9a:bc"
        private static let forwarded = "89.160.20.128"
        private static let mail = "never.to.be.kept@example.com"
        private static let phone = "+1 (555) 010-4477"
        private static let strangeKey = "pk_nobody_has_this_one_4477"

        private static let addresses = [
            (name: "context.ip", traces: AddressTraces(v4: named)),
            (name: "context.ip, v6", traces: AddressTraces(v6: namedV6)),
            (name: "X-Forwarded-For", traces: AddressTraces(v4: forwarded)),
            (name: "peer", traces: AddressTraces(v4: HTTPCall.clientAddress)),
        ]

        @Test func noAddressPersonalIDOrKeyIsKept() async throws {
            try await GeoTests.withDatabase([.aggregator, .reader, .console]) { stack, database in
                let settings = [
                    "GEOIP_DATABASE_PATH": database.path, "INGEST_TRUSTED_PROXIES": "127.0.0.0/8",
                ]
                let ingest = try await stack.start(.ingest, settings)
                let app = try await stack.createApp(platforms: ["ios", "web"])
                let accepted = try await sendAll(app, stack, ingest)
                try await stack.closeDays()

                let logs = stack.writtenLogs
                let metrics = try await stack.writtenMetrics()
                let events = try await stack.writtenMessages(of: stack.topic)
                let rejections = try await rejections(stack)
                let columns = try await stack.writtenColumns()
                let everything = try logs + metrics + events + rejections + columns + stack.writtenFiles()
                expectSearched(accepted, logs: logs, events: events, columns: columns)

                expectNoAddress(in: everything)
                for secret in [Self.mail, Self.phone, "555) 010"] {
                    expectNone(of: secret, in: everything)
                }
                for key in app.keys.map(\.key) + [Self.strangeKey] {
                    expectNone(of: key, in: logs + metrics + events + rejections)
                }
            }
        }

        /// The search itself: each spelling is found where it stands.
        @Test(arguments: [
            "81.2.69.142", "::ffff:81.2.69.142", "0x5102458E", "::ffff:5102:458e", "1359103374",
            "51:02:45:8e", "142.69.2.81", "AAAAAAAAAAAAAP//UQJFjg==", "\u{51}\u{2}E\u{8e}",
        ])
        func aSpellingOfAnAddressIsFound(text: String) {
            let bytes = text.unicodeScalars.map { UInt8($0.value) }
            let written = Written(name: "", bytes: Array("before ".utf8) + bytes + Array(" after".utf8))

            #expect(AddressTraces(v4: Self.named).found(in: written) != nil)
        }

        @Test(arguments: [
            namedV6, "2A02:D280:12:34:56:78:9A:BC", "2a02:d280:0012:0034:0056:0078:009a:00bc",
            "2a02d2800012003400560078009a00bc", "KgLSgAASADQAVgB4AJoAvA==",
        ])
        func aSpellingOfALongAddressIsFound(text: String) {
            let written = Written(name: "", bytes: Array("before \(text) after".utf8))

            #expect(AddressTraces(v6: Self.namedV6).found(in: written) != nil)
        }
    }
}

extension PipelineTests.NothingKeptTests {
    private func batch(seed: UInt64, ip: String, user: String? = nil) -> TestBatch {
        var make = EventMaker(seed: seed)
        var batch = TestBatch(events: make.session(at: TestDays().noon(daysAgo: 1), user: user))
        batch.context = ["ip": .text(ip), "app_version": "7.7"]
        return batch
    }

    private typealias Send = (
        _ body: [UInt8], _ key: String, _ headers: [(name: String, value: String)]
    ) async throws -> HTTPAnswer

    /// Returns the events that were accepted.
    private func sendAll(
        _ app: TestApp,
        _ stack: Stack,
        _ ingest: RunningService
    ) async throws -> [TestEvent] {
        let forwarded = (name: "X-Forwarded-For", value: "\(Self.named), \(Self.forwarded)")
        let send: Send = { body, key, headers in
            try await stack.post(body, key: key, to: ingest, headers: [forwarded] + headers)
        }
        let ips = [Self.named, Self.namedV6, "::ffff:" + Self.named, Self.named + ":443", "none"]
        var valid = ips.enumerated().map { index, ip in
            batch(seed: UInt64(800 + index), ip: ip, user: "acct_\(index)")
        }
        var located = batch(seed: 810, ip: "")
        located.context["ip"] = nil
        valid.append(located)
        for batch in valid { #expect(try await send(batch.bytes, app.anyKey, []).json["accepted"] == 2) }
        for (index, user) in [Self.mail, Self.phone].enumerated() {
            let personal = batch(seed: UInt64(820 + index), ip: Self.named, user: user)
            #expect(try await send(personal.bytes, app.key("ios"), []).json["rejected"].list.count == 2)
        }
        try await sendRefused(app, send)
        try await sendStrangeRequests(app, ingest)
        return valid.flatMap(\.events)
    }

    private func sendRefused(_ app: TestApp, _ send: Send) async throws {
        let body = batch(seed: 830, ip: Self.namedV6, user: Self.mail).bytes
        let empty = TestBatch(events: [], context: ["ip": .text(Self.named)]).bytes
        let withOtherKey = Array("{\"app_key\":\"\(Self.strangeKey)\",".utf8) + body.dropFirst()
        let long = body + [UInt8](repeating: UInt8(ascii: " "), count: 1_100_000)
        let refused = [(Array(body.dropLast(9)), 400), (empty, 400), (withOtherKey, 400), (long, 413)]
        for (body, status) in refused {
            #expect(try await send(body, app.anyKey, []).status == status)
        }
        #expect(try await send(body, Self.strangeKey, []).status == 401)
        #expect(try await send(body, app.anyKey, [("Content-Encoding", "br")]).status == 400)
        #expect(try await send(body, app.anyKey, [("Content-Type", "text/html")]).status == 415)
    }

    /// What never reaches a batch, or is no HTTP.
    private func sendStrangeRequests(_ app: TestApp, _ ingest: RunningService) async throws {
        let strange = [
            ("GET", "/v1/events?ip=\(Self.named)"), ("POST", "/v1/other/\(Self.named)"),
            ("BREW", "/\(Self.named)"), ("POST \(Self.named)", "/v1/events"),
        ]
        for (method, target) in strange {
            let call = HTTPCall(
                method: method,
                port: ingest.servicePort ?? 0,
                target: target,
                headers: [("X-Forwarded-For", Self.forwarded), ("X-App-Key", app.anyKey)]
            )
            // Some of them get no answer, only the end of the connection.
            if let answer = try? await call.answer() { #expect(answer.status >= 400) }
        }
    }

    /// Nobody waits for these messages, so they may come a little later than the answers.
    private func rejections(_ stack: Stack) async throws -> [Written] {
        try await wait(for: "rejections are reported") {
            let written = try await stack.writtenMessages(of: stack.rejectionsTopic)
            // Both personal ids, and the last of the refusals with a known key.
            let codes = ["user_id_looks_like_pii", "invalid_json", "unsupported_media_type"]
            return codes.allSatisfy { code in written.contains { $0.contains(code) } } ? written : nil
        }
    }

    /// The search reaches where these things would be: what may be kept is found there.
    private func expectSearched(
        _ accepted: [TestEvent],
        logs: [Written],
        events: [Written],
        columns: [Written]
    ) {
        for event in accepted {
            #expect(events.contains { $0.contains(event.insertID) })
            #expect(columns.contains { $0.contains(event.insertID) })
        }
        #expect(columns.contains { $0.contains("acct_1") })
        #expect(columns.contains { $0.contains("London") })
        #expect(columns.contains { $0.contains("Linköping") })
        // A closed day is a block of bytes.
        #expect(columns.contains { $0.name.hasSuffix("closed_days.block") && $0.bytes.contains(0) })
        #expect(logs.contains { $0.contains("batch_refused") })
    }

    private func expectNoAddress(in everything: [Written]) {
        for (name, traces) in Self.addresses {
            for written in everything {
                let spelling = traces.found(in: written)
                #expect(spelling == nil, "\(written.name) holds the address of \(name)")
            }
        }
    }

    private func expectNone(of secret: String, in everything: [Written]) {
        for written in everything {
            let isFound = written.contains(secret)
            #expect(!isFound, "\(written.name) holds \(secret)")
        }
    }
}
