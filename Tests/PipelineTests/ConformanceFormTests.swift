import Gzip
import Testing

extension PipelineTests.ConformanceTests {
    /// Goal: every form of a batch that the contract allows is taken.
    @Suite struct FormTests {
        private let draft = Draft(Draft.event())

        @Test(arguments: [
            "application/json", "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\"",
            "text/plain",
            "text/plain;charset=UTF-8",
        ])
        func aContentType(type: String) async throws {
            #expect(try await Conformance.shared().post(draft, [("Content-Type", type)]).status == 200)
        }

        @Test(arguments: ["identity", "Identity"]) func anIdentity(encoding: String) async throws {
            #expect(
                try await Conformance.shared().post(draft, [("Content-Encoding", encoding)]).status == 200
            )
        }

        @Test(arguments: ["gzip", "GZIP"]) func aGzip(encoding: String) async throws {
            let body = Gzip.deflate(draft.bytes)

            #expect(try await Conformance.shared().post(body, [("Content-Encoding", encoding)]).status == 200)
        }

        @Test func aGzipOfSeveralMembers() async throws {
            let bytes = draft.bytes
            let body = Gzip.deflate(Array(bytes[..<20])) + Gzip.deflate(Array(bytes[20...]))

            #expect(
                try await Conformance.shared().post(body, [("Content-Encoding", "gzip")]).json["accepted"]
                    == 1
            )
        }

        @Test func aByteOrderMarkIsSkipped() async throws {
            #expect(
                try await Conformance.shared().post([0xEF, 0xBB, 0xBF] + draft.bytes).json["accepted"] == 1
            )
        }

        /// As `sendBeacon` sends it: no header of its own, the key in the body.
        @Test func aBeacon() async throws {
            let world = try Conformance.shared()
            let beacon = Draft(
                Draft.event(),
                members: ["app_key": .text(world.app.key("web")), "context": [:]]
            )

            let answer = try await world.post(
                beacon,
                [("X-App-Key", nil), ("Content-Type", "text/plain"), ("Origin", "https://shop.example.com")]
            )

            #expect(answer.json["accepted"] == 1)
            #expect(answer.headers["access-control-allow-origin"] == "*")
            #expect(try await world.stored(beacon).map { $0.context["platform"] } == ["web"])
        }

        @Test func theSameKeyInHeaderAndBody() async throws {
            let world = try Conformance.shared()
            let both = Draft(Draft.event(), members: ["app_key": .text(world.app.key("ios"))])

            #expect(try await world.post(both).json["accepted"] == 1)
        }

        /// Two keys of one app are still two keys.
        @Test func anotherKeyOfTheSameAppInTheBody() async throws {
            let world = try Conformance.shared()
            let both = Draft(Draft.event(), members: ["app_key": .text(world.app.key("web"))])

            #expect(
                try await world.post(both).json["error"]["details"] == [
                    "field": "app_key", "issue": "mismatch",
                ]
            )
        }

        @Test func fieldsNobodyKnowsAreIgnored() async throws {
            let strange = Draft(
                Draft.event(["color": "red", "context": ["shoe_size": 42]]),
                members: ["library": ["name": "x"]]
            )

            #expect(try await Conformance.shared().post(strange).json["accepted"] == 1)
        }

        @Test(arguments: [
            ("ru", true), ("ru-RU,ru;q=0.9,en;q=0.8", true), ("en,ru;q=0.5", false), ("de", false),
        ])
        func messagesFollowTheLanguage(header: String, isRussian: Bool) async throws {
            let world = try Conformance.shared()
            let odd = Draft(
                Draft.event(["name": "x"]),
                Draft.event(["context": ["ip": "?"]]),
                members: ["context": ["platform": "ios"]]
            )

            let result = try await world.post(odd, [("Accept-Language", header)])
            let refusal = try await world.post(Array("{".utf8), [("Accept-Language", header)])

            let messages = [
                result.json["rejected"][0]["message"], result.json["warnings"][0]["message"],
                refusal.json["error"]["message"],
            ]
            for message in messages {
                let text = try #require(message.string)
                #expect(text.unicodeScalars.contains { ("а"..."я").contains($0) } == isRussian, "\(text)")
            }
        }
    }

    /// Goal: methods, paths and pages of other sites are answered as browsers and proxies expect.
    @Suite struct MethodTests {
        @Test(arguments: ["GET", "PUT", "PATCH", "DELETE", "HEAD", "BREW"])
        func anotherMethodIsToldTheOnesThereAre(method: String) async throws {
            let answer = try await Conformance.shared().send(method)

            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == "POST, OPTIONS")
            #expect(answer.headers["x-request-id"]?.count == 26)
            #expect(answer.body.isEmpty == (method == "HEAD"))
        }

        @Test func aPreflightNeedsNoKey() async throws {
            let answer = try await Conformance.shared().send(
                "OPTIONS",
                headers: [
                    ("X-App-Key", nil), ("Content-Type", nil), ("Origin", "https://shop.example.com"),
                    ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "x-app-key,content-type,content-encoding"),
                ]
            )

            #expect(answer.status == 204)
            #expect(answer.headers["access-control-allow-origin"] == "*")
            #expect(answer.headers["access-control-allow-methods"]?.contains("POST") == true)
            let allowed = answer.headers["access-control-allow-headers"]?.lowercased() ?? ""
            for name in ["x-app-key", "content-type", "content-encoding"] { #expect(allowed.contains(name)) }
            #expect(answer.headers["access-control-allow-credentials"] == nil)
            #expect(answer.body.isEmpty)
        }

        @Test func anErrorCanBeReadByAPage() async throws {
            let answer = try await Conformance.shared().post(
                Array("{".utf8),
                [("Origin", "https://shop.example.com")]
            )

            #expect(answer.headers["access-control-allow-origin"] == "*")
            #expect(answer.headers["access-control-expose-headers"] == "Retry-After, X-Request-Id")
        }

        @Test(arguments: ["/", "/v1/event", "/v1/events/", "/V1/events", "/v1//events", "/v1/events%2F"])
        func anotherPathIsNotFound(path: String) async throws {
            let answer = try await Conformance.shared().send("POST", path)

            #expect(answer.status == 404)
            #expect(answer.errorCode == "not_found")
        }
    }
}
