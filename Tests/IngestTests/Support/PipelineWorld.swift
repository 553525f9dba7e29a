import Contracts
import Forwarding
import GeoIP
import Gzip
import HTTP
import ServiceKit

@testable import IngestCore

/// A pipeline with a registry filled by hand, at a fixed moment.
struct PipelineWorld {
    static let key = "pk_ios"
    static let webKey = "pk_web"
    static let archivedKey = "pk_archived"

    let monotonicClock = ManualMonotonicClock()
    let registry: Registry
    let pipeline: BatchPipeline

    /// - Parameter isConfirmed: false is a start from the file, with Postgres away.
    init(isConfirmed: Bool = true, database: GeoDatabase? = nil, trustedProxies: [IPNetwork] = []) {
        registry = Registry(clock: monotonicClock)
        let app = RegisteredApp.test(platforms: [.ios, .web])
        let snapshot = RegistrySnapshot(
            version: 1,
            keys: [
                Self.key: .test(platform: .ios, app: app),
                Self.webKey: .test(platform: .web, app: app),
                Self.archivedKey: .test(app: .test(archived: true)),
            ]
        )
        if isConfirmed { registry.replace(with: snapshot) } else { registry.restore(snapshot) }
        pipeline = BatchPipeline(
            registry: registry,
            geolocator: Geolocator(
                source: GeoSource(database: database),
                trustedProxies: TrustedProxies(trustedProxies)
            ),
            limits: LimiterTests.limits(monotonicClock),
            clock: ManualWallClock(nowMs: TestTime.receivedAtMs)
        )
    }

    func prepare(_ request: PostText) throws(BatchRefusal) -> BatchPipeline.Prepared {
        let request = request.request
        try pipeline.checkHead(request.head)
        return try pipeline.prepare(request)
    }

    /// Nil when the batch is taken.
    func refusal(of request: PostText) -> BatchRefusal? {
        do throws(BatchRefusal) {
            _ = try prepare(request)
            return nil
        } catch {
            return error
        }
    }
}

/// A POST of one batch; a test changes what it is about.
struct PostText: Sendable {
    var headers: [(name: String, value: String)] = [
        ("Content-Type", "application/json"), ("X-App-Key", PipelineWorld.key),
    ]
    var body: [UInt8]
    var peer = HTTPPeer(high: 0, low: 0xFFFF_7F00_0001, port: 50_000)

    init(_ batch: ObjectText = BatchText.of([EventText.start()])) {
        body = Array(batch.json.utf8)
    }

    init(_ bytes: [UInt8]) {
        body = bytes
    }

    /// A body in gzip, announced as such.
    static func gzip(_ bytes: [UInt8]) -> PostText {
        PostText(bytes).with("Content-Encoding", "gzip")
    }

    /// Sets the only header of that name; nil removes it.
    func with(_ name: String, _ value: String?) -> PostText {
        var changed = self
        changed.headers.removeAll { $0.name == name }
        if let value { changed.headers.append((name, value)) }
        return changed
    }

    func adding(_ name: String, _ value: String) -> PostText {
        var changed = self
        changed.headers.append((name, value))
        return changed
    }

    var request: HTTPRequest {
        let head = HTTPRequestHead(
            method: "POST",
            path: "/v1/events",
            headers: HTTPHeaders(headers.map { ($0.name, $0.value) }),
            peer: peer,
            contentLength: body.count
        )
        return HTTPRequest(head: head, body: body)
    }
}

/// A batch of one event, padded with blanks to exactly so many bytes.
func paddedBatch(bytes count: Int) -> [UInt8] {
    let text = Array(BatchText.of([EventText.start()]).json.utf8)
    return text + Array(repeating: UInt8(ascii: " "), count: count - text.count)
}
