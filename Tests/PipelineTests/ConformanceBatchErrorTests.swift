import Gzip
import Testing

extension PipelineTests.ConformanceTests {
    /// Goal: every row of the table of batch errors, with its status, its details and its request id.
    ///
    /// Elsewhere: `payload_too_large` among the boundaries, `app_rate_limited` among the limits, `storage_unavailable` in
    /// `BrokerAwayTests` and below. Nothing a client can send brings `internal_error`.
    @Suite struct BatchErrorTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let status: Int
            let code: String
            var field: String?
            var issue: String?
            var body = Draft(Draft.event()).bytes
            var headers: [(name: String, value: String?)] = []
            var target = "/v1/events"
            var note = ""

            var testDescription: String { "\(status) \(code) \(field ?? "") \(issue ?? "") \(note)" }
        }

        private static func batch(_ members: [String: JSON], without name: String = "") -> [UInt8] {
            var draft = Draft(Draft.event(), members: members)
            draft.members[name] = nil
            return draft.bytes
        }

        private static func json(_ text: String, note: String) -> Row {
            Row(status: 400, code: "invalid_json", body: Array(text.utf8), note: note)
        }

        private static func head(_ status: Int, _ code: String, _ name: String, _ values: String?...) -> Row {
            Row(status: status, code: code, headers: values.map { (name, $0) }, note: "\(name): \(values)")
        }

        private static func shape(_ field: String?, _ issue: String, _ body: [UInt8]) -> Row {
            Row(status: 400, code: "invalid_batch", field: field, issue: issue, body: body)
        }

        private static let gzip: [(name: String, value: String?)] = [("Content-Encoding", "gzip")]

        static let rows: [Row] =
            [
                json("", note: "empty"), json("{", note: "cut"), json("{} {}", note: "two documents"),
                json("{'a':1}", note: "quotes"), json("[1,]", note: "comma"),
                json(String(repeating: "[", count: 100_000), note: "deep"),
                json(String(repeating: #"{"a":"#, count: 50_000), note: "deep objects"),
                Row(status: 400, code: "invalid_json", body: [0x22, 0xFF, 0x22], note: "no UTF-8"),
                Row(status: 400, code: "invalid_json", headers: gzip, note: "no gzip"),
                Row(
                    status: 400,
                    code: "invalid_json",
                    body: Array(Gzip.deflate(Draft(Draft.event()).bytes).dropLast(9)),
                    headers: gzip,
                    note: "gzip cut off"
                ),
                Row(
                    status: 413,
                    code: "payload_too_large",
                    body: Gzip.deflate([UInt8](repeating: 0, count: 64 << 20)),
                    headers: gzip,
                    note: "gzip bomb"
                ),
                shape("sent_at", "missing", batch([:], without: "sent_at")),
                shape("sent_at", "missing", batch(["sent_at": nil])),
                shape("sent_at", "invalid", batch(["sent_at": "2026-10-14T09:15:02"])),
                shape("sent_at", "invalid", batch(["sent_at": 1_791_979_200])),
                shape("events", "missing", Array(#"{"sent_at":"2026-10-14T09:15:02Z"}"#.utf8)),
                shape(
                    "events",
                    "not_an_array",
                    Array(#"{"sent_at":"2026-10-14T09:15:02Z","events":{}}"#.utf8)
                ),
                shape("events", "duplicate", Array(#"{"events":[],"events":[]}"#.utf8)),
                shape("context", "not_an_object", batch(["context": "ios"])),
                shape("app_key", "mismatch", batch(["app_key": "pk_another"])),
                shape("app_key", "invalid", batch(["app_key": 7])),
                shape(nil, "not_an_object", Array("[]".utf8)),
            ] + heads

        private static let heads: [Row] = [
            head(400, "unsupported_content_encoding", "Content-Encoding", "br"),
            head(400, "unsupported_content_encoding", "Content-Encoding", "deflate"),
            head(400, "unsupported_content_encoding", "Content-Encoding", "gzip, gzip"),
            head(400, "unsupported_content_encoding", "Content-Encoding", "gzip", "gzip"),
            head(400, "unsupported_content_encoding", "Content-Encoding", "identity", "gzip"),
            head(401, "missing_app_key", "X-App-Key", nil),
            head(401, "missing_app_key", "X-App-Key", ""),
            Row(
                status: 401,
                code: "missing_app_key",
                headers: [("X-App-Key", nil)],
                target: "/v1/events?app_key=pk_query",
                note: "a key in the query is none"
            ),
            head(401, "invalid_app_key", "X-App-Key", "pk_unknown"),
            head(415, "unsupported_media_type", "Content-Type", nil),
            head(415, "unsupported_media_type", "Content-Type", "application/xml"),
            head(415, "unsupported_media_type", "Content-Type", "text/html"),
            head(415, "unsupported_media_type", "Content-Type", "application/jsonp"),
            head(415, "unsupported_media_type", "Content-Type", "application/json; charset=latin1"),
            Row(
                status: 400,
                code: "invalid_batch",
                field: "X-App-Key",
                issue: "mismatch",
                headers: [("X-App-Key", "pk_unknown"), ("X-App-Key", "pk_other")],
                note: "two keys"
            ),
        ]

        @Test(arguments: rows) func hasItsEnvelope(_ row: Row) async throws {
            let answer = try await Conformance.shared().send(
                "POST",
                row.target,
                body: row.body,
                headers: row.headers
            )

            #expect(answer.status == row.status)
            let error = answer.json["error"]
            #expect(error["code"].string == row.code)
            #expect(error["message"].string?.isEmpty == false)
            #expect(error["details"]["field"].string == row.field)
            #expect(error["details"]["issue"].string == row.issue)
            #expect(error["request_id"].string?.count == 26)
            #expect(error["request_id"].string == answer.headers["x-request-id"])
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.headers["retry-after"] == nil)
        }

        @Test func anArchivedAppIsTold() async throws {
            let world = try Conformance.shared()

            let answer = try await world.post(Draft(Draft.event()), [("X-App-Key", world.archivedKey)])

            #expect(answer.status == 403)
            #expect(answer.errorCode == "app_archived")
        }

        @Test func theKeyInTheBodyIsCheckedLikeTheOneInTheHeader() async throws {
            let world = try Conformance.shared()
            let beacon: [(name: String, value: String?)] = [
                ("X-App-Key", nil), ("Content-Type", "text/plain"),
            ]
            func code(_ key: String) async throws -> String? {
                try await world.post(Draft(Draft.event(), members: ["app_key": .text(key)]), beacon).errorCode
            }

            #expect(try await code("pk_unknown") == "invalid_app_key")
            #expect(try await code(world.archivedKey) == "app_archived")
            #expect(try await code("") == "missing_app_key")
        }

        @Test func aResultHasARequestIDToo() async throws {
            let answer = try await Conformance.shared().post(Draft(Draft.event()))

            #expect(answer.status == 200)
            #expect(answer.headers["x-request-id"]?.count == 26)
            #expect(answer.json.names == ["accepted", "rejected", "warnings", "server_time"])
            #expect(answer.json["server_time"].string?.hasSuffix("Z") == true)
            #expect(answer.json["server_time"].string?.count == 24)
        }
    }
}
