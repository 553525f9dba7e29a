import Foundation
import Kafka
import Postgres
import Testing

extension PipelineTests {
    /// Goal: country and city of the right address arrive in the topic and in the tables, and the database can be replaced.
    @Suite(.enabled(if: TestSetting.python != nil, "set TEST_PYTHON")) struct GeoTests {
        struct Request: Sendable {
            let name: String
            var ip: JSON?
            /// Of the event itself, over that of the batch.
            var eventIP: JSON?
            var forwarded: [String] = []
            var isDirect = false
            var warning: String?
            let place: String
        }

        /// It knows where loopback and private addresses are, so that a look-up of one would show.
        static let records = [
            "81.2.69.0/24=GB/London", "89.160.20.0/24=SE/Linköping", "67.43.156.0/24=BT",
            "2a02:d280::/29=CZ/Prague", "127.0.0.0/8=ZZ/Loopback", "10.0.0.0/8=ZZ/Private",
        ]
        private static let trust = ["INGEST_TRUSTED_PROXIES": "127.0.0.0/8"]
        private static let london = "81.2.69.142"
        private static let linköping = "89.160.20.128"

        /// The peer is a trusted proxy of 127.0.0.0/8, unless the request is direct.
        static let requests = [
            Request(name: "v4", ip: .text(london), place: "GB London"),
            Request(name: "v6", ip: "2a02:d280::1", place: "CZ Prague"),
            Request(name: "mapped", ip: "::ffff:81.2.69.142", place: "GB London"),
            Request(name: "country alone", ip: "67.43.156.1", place: "BT -"),
            Request(
                name: "with a port",
                ip: "81.2.69.142:443",
                forwarded: [linköping],
                warning: "geo_ip_invalid",
                place: "- -"
            ),
            Request(name: "none", ip: "none", forwarded: [london], place: "- -"),
            Request(name: "private", ip: "10.1.2.3", forwarded: [london], place: "- -"),
            Request(name: "an event's own", ip: "none", eventIP: .text(london), place: "GB London"),
            Request(name: "an event's none", ip: .text(london), eventIP: "none", place: "- -"),
            Request(name: "over the proxy's", ip: .text(london), forwarded: [linköping], place: "GB London"),
            Request(name: "proxy", forwarded: [linköping], place: "SE Linköping"),
            Request(name: "proxy, with a port", forwarded: [linköping + ":5678"], place: "SE Linköping"),
            Request(name: "proxy, v6", forwarded: ["[2a02:d280::7]:443"], place: "CZ Prague"),
            Request(name: "two headers", forwarded: [london, linköping], place: "SE Linköping"),
            Request(name: "spoofed left", forwarded: ["\(london), \(linköping)"], place: "SE Linköping"),
            Request(
                name: "two proxies",
                forwarded: ["\(london), \(linköping)", "127.0.0.9"],
                place: "SE Linköping"
            ),
            Request(name: "not an address", forwarded: [london, "unknown"], place: "- -"),
            Request(name: "the proxy itself", place: "- -"),
            Request(name: "untrusted", forwarded: [london], isDirect: true, place: "- -"),
            Request(name: "untrusted, named", ip: .text(london), isDirect: true, place: "GB London"),
        ]

        @Test func placesArriveInTheTopicAndInTheTables() async throws {
            try await Self.withDatabase([.aggregator]) { stack, database in
                let settings = ["GEOIP_DATABASE_PATH": database.path]
                let direct = try await stack.start(.ingest, settings)
                let proxied = try await stack.start(.ingest, settings.merging(Self.trust) { $1 })
                let app = try await stack.createApp()
                try await wait(until: "both know the key", seconds: 15) {
                    try await stack.post([], key: app.anyKey, to: direct).status != 401
                }
                var expected: [String: String] = [:]
                for (index, request) in Self.requests.enumerated() {
                    let batch = Self.batch(request, seed: UInt64(700 + index))
                    let ingest = request.isDirect ? direct : proxied
                    let answer = try await Self.post(request, batch, key: app.anyKey, to: ingest, stack)
                    let warnings = answer.json["warnings"].list.compactMap { $0["code"].string }
                    #expect(warnings == (request.warning.map { [$0] } ?? []), "\(request.name)")
                    expected[batch.events[0].insertID] = "\(request.name): \(request.place)"
                }
                try await stack.closeDays()

                let published = try await Self.published(stack)
                let stored = try await Self.stored(stack)
                #expect(published.count == Self.requests.count)
                #expect(stored.count == Self.requests.count)
                for (id, place) in expected {
                    #expect(published[id].map { place.hasSuffix(": " + $0) } == true, "\(place) in the topic")
                    #expect(stored[id].map { place.hasSuffix(": " + $0) } == true, "\(place) in the tables")
                }
            }
        }

        @Test func aReplacedDatabaseIsTakenOverWithoutARestart() async throws {
            try await Self.withDatabase { stack, database in
                let ingest = try await stack.start(.ingest, ["GEOIP_DATABASE_PATH": database.path])
                let app = try await stack.createApp()
                var seed: UInt64 = 750
                func place() async throws -> String? {
                    seed += 1
                    let request = Request(name: "", ip: .text(Self.london), place: "")
                    let batch = Self.batch(request, seed: seed)
                    _ = try await Self.post(request, batch, key: app.anyKey, to: ingest, stack)
                    return try await Self.published(stack)[batch.events[0].insertID]
                }
                #expect(try await place() == "GB London")

                try await database.replace(with: ["81.2.69.0/24=GB/Oxford"])
                try await ingest.process.line("geo_database_loaded")
                #expect(try await place() == "GB Oxford")

                try database.replace(withBytes: Array("not a database".utf8))
                let line = try await ingest.process.line("geo_database_unusable")
                #expect(line["level"] == "error")
                #expect(try await place() == "GB Oxford")
                #expect(try await ingest.ops("/readyz").status == 200)
            }
        }
    }
}

extension PipelineTests.GeoTests {
    static func withDatabase(
        _ services: [ServiceName] = [],
        _ body: (Stack, CityDatabase) async throws -> Void
    ) async throws {
        try await Stack.run(services) { stack in
            let database = CityDatabase(path: stack.directory + "/city.mmdb")
            try await database.replace(with: records)
            try await body(stack, database)
        }
    }

    private static func batch(_ request: Request, seed: UInt64) -> TestBatch {
        var make = EventMaker(seed: seed)
        var batch = TestBatch(events: Array(make.session(at: TestDays().noon(daysAgo: 1)).prefix(1)))
        batch.context["ip"] = request.ip
        batch.events[0].context["ip"] = request.eventIP
        return batch
    }

    private static func post(
        _ request: Request,
        _ batch: TestBatch,
        key: String,
        to ingest: RunningService,
        _ stack: Stack
    ) async throws -> HTTPAnswer {
        // Written by anybody, and nothing we read.
        let headers = [(name: "Forwarded", value: "for=81.2.69.142")]
        let answer = try await stack.post(
            batch.bytes,
            key: key,
            to: ingest,
            headers: headers + request.forwarded.map { ("X-Forwarded-For", $0) }
        )
        #expect(answer.json["accepted"] == 1, "\(request.name): \(answer.text)")
        return answer
    }

    /// Country and city of each event of the topic.
    private static func published(_ stack: Stack) async throws -> [String: String] {
        var places: [String: String] = [:]
        for message in try await TopicTool.messages(of: stack) {
            let json = try JSON(parsing: message.payload ?? [])
            for event in json["events"].list {
                let context = json["contexts"][event["context"].int ?? 0]
                places[event["insert_id"].string ?? ""] =
                    "\(context["country"].string ?? "-") \(context["city"].string ?? "-")"
            }
        }
        return places
    }

    private static func stored(_ stack: Stack) async throws -> [String: String] {
        let rows = try await stack.database.texts(
            """
            SELECT insert_id || ' ' || coalesce(country, '-') || ' ' || coalesce(city, '-')
            FROM events JOIN contexts USING (context_no) ORDER BY insert_id LIMIT 1000
            """
        )
        let pairs = rows.map { (String($0.prefix(36)), String($0.dropFirst(37))) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
