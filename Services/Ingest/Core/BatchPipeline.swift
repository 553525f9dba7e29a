import Contracts
import GeoIP
import Gzip
import HTTP
import JSON
public import ServiceKit

/// The path of a batch, as named steps: key, encoding, inflate, parse, batch checks, events, limits, geolocation, messages.
///
/// Everything up to publishing happens here, on the thread that has the request; nothing waits.
public struct BatchPipeline: Sendable {
    let registry: Registry
    let parsers: JSONParserPool
    let geolocator: Geolocator
    let limits: BatchLimits
    let clock: any WallClock

    /// A batch that passed: what to publish, and what to tell the client once it is confirmed.
    struct Prepared: Sendable {
        let verdict: BatchVerdict
        let messages: [OutgoingMessage]
        let app: UUID128
        /// To be given back when the batch is not published.
        let admission: Admission
        let receivedAtMs: Int64
    }

    public init(registry: Registry, geolocator: Geolocator, limits: BatchLimits, clock: any WallClock) {
        self.registry = registry
        self.geolocator = geolocator
        self.limits = limits
        self.clock = clock
        parsers = JSONParserPool()
    }

    /// The checks that need no body: refusing here spares the client its upload.
    func checkHead(_ head: HTTPRequestHead) throws(BatchRefusal) {
        if let key = try RequestChecks.appKey(head.headers) { _ = try find(key) }
        _ = try RequestChecks.encoding(head.headers)
        try RequestChecks.mediaType(head.headers)
    }

    /// - Parameter noteKey: Learns whose batch it is, also when it is refused afterwards.
    func prepare(
        _ request: HTTPRequest,
        noteKey: (RegisteredKey) -> Void = { _ in }
    ) throws(BatchRefusal) -> Prepared {
        let receivedAtMs = clock.nowMs()
        let headerKey = try RequestChecks.appKey(request.headers)
        let key = try headerKey.map { text throws(BatchRefusal) in try find(text) }
        if let key { noteKey(key) }
        let body = try inflate(request)
        let (judged, usedKey) = try judge(
            body,
            headerKey: headerKey,
            key: key,
            receivedAtMs: receivedAtMs,
            noteKey: noteKey
        )
        let (verdict, admission) = try limits.admit(judged, app: usedKey.app.id)
        let contexts = geolocator.locate(verdict.contexts, of: request.head)
        let messages = MessageBuilder.messages(
            verdict.accepted,
            contexts: contexts,
            key: usedKey,
            receivedAtMs: receivedAtMs
        )
        return Prepared(
            verdict: verdict,
            messages: messages,
            app: usedKey.app.id,
            admission: admission,
            receivedAtMs: receivedAtMs
        )
    }

    private func find(_ key: String) throws(BatchRefusal) -> RegisteredKey {
        switch registry.find(key) {
        case .known(let found):
            if found.app.isArchived { throw BatchRefusal(.appArchived) }
            return found
        case .unknown:
            throw BatchRefusal(.invalidAppKey)
        case .undecided:
            throw BatchRefusal(.storageUnavailable, retryAfterSeconds: RetryAfter.registrySeconds)
        }
    }

    private func inflate(_ request: HTTPRequest) throws(BatchRefusal) -> [UInt8] {
        switch try RequestChecks.encoding(request.headers) {
        case .identity:
            guard request.body.count <= EventLimits.bodyBytesMax else { throw BatchRefusal(.payloadTooLarge) }
            return request.body
        case .gzip:
            do throws(GzipError) {
                return try Gzip.inflate(request.body, outputBytesMax: EventLimits.bodyBytesMax)
            } catch {
                throw BatchRefusal(error == .tooLarge ? .payloadTooLarge : .invalidJSON)
            }
        }
    }

    private func judge(
        _ body: [UInt8],
        headerKey: String?,
        key: RegisteredKey?,
        receivedAtMs: Int64,
        noteKey: (RegisteredKey) -> Void
    ) throws(BatchRefusal) -> (BatchVerdict, RegisteredKey) {
        let result: Result<(BatchVerdict, RegisteredKey), BatchRefusal>
        do {
            result = try parsers.withParser { parser in
                try parser.withDocument(body) { root in
                    // Before the rest is judged, so that a beacon that is refused is known by its key too.
                    if key == nil, let named = keyNamed(in: root) { noteKey(named) }
                    return Result { () throws(BatchRefusal) in
                        let head = try BatchHead(root)
                        let used = try resolve(head.appKey, headerKey: headerKey, key: key)
                        return (BatchValidator.validate(head, key: used, receivedAtMs: receivedAtMs), used)
                    }
                }
            }
        } catch {
            throw BatchRefusal(.invalidJSON)
        }
        return try result.get()
    }

    private func keyNamed(in root: JSONValue) -> RegisteredKey? {
        guard root.isObject, let text = root["app_key"]?.string, case .known(let key) = registry.find(text)
        else { return nil }
        return key
    }

    private func resolve(
        _ bodyKey: String?,
        headerKey: String?,
        key: RegisteredKey?
    ) throws(BatchRefusal) -> RegisteredKey {
        if let key {
            guard bodyKey == nil || bodyKey == headerKey else {
                throw BatchRefusal(.invalidBatch, field: "app_key", issue: .mismatch)
            }
            return key
        }
        guard let bodyKey else { throw BatchRefusal(.missingAppKey) }
        return try find(bodyKey)
    }
}

/// How long clients are asked to wait.
enum RetryAfter {
    /// Postgres could not be asked about a key.
    static let registrySeconds = 5
    /// The broker did not confirm.
    static let brokerSeconds = 5
}
