import Contracts
import Crypto
public import HTTP
public import ServiceKit

/// Serves `POST /v1/events`.
///
/// A 200 is sent only from the delivery reports of every message of the batch; until then the connection waits without a thread.
public final class IngestHandler: HTTPHandler {
    static let path = "/v1/events"
    private let pipeline: BatchPipeline
    private let publisher: EventPublisher
    private let deadlines: AnswerDeadlines
    private let reporter: RejectionReporter
    private let metrics: IngestMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let clock: any MonotonicClock
    private let wallClock: any WallClock
    private let requestIDs = IDGenerator()

    public init(
        pipeline: BatchPipeline,
        publisher: EventPublisher,
        deadlines: AnswerDeadlines,
        reporter: RejectionReporter,
        service: Service
    ) {
        self.pipeline = pipeline
        self.publisher = publisher
        self.deadlines = deadlines
        self.reporter = reporter
        throttled = LogThrottle(service.logger, intervalMs: 1_000)
        metrics = IngestMetrics(service.metrics)
        logger = service.logger
        clock = service.monotonicClock
        wallClock = service.wallClock
    }

    public func admit(_ head: HTTPRequestHead) -> HTTPResponse? {
        guard head.path == Self.path else { return route(.notFound, head) }
        switch head.method {
        case "POST": break
        case "OPTIONS": return Browsers.preflight()
        default: return route(.methodNotAllowed, head)
        }
        do throws(BatchRefusal) {
            try pipeline.checkHead(head)
            return nil
        } catch {
            return answer(error, head, requestID: nextRequestID())
        }
    }

    public func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        let requestID = nextRequestID()
        let startedNs = clock.nowNs()
        metrics.bytes.add(request.body.count)
        var key: RegisteredKey?
        do throws(BatchRefusal) {
            let prepared = try pipeline.prepare(request) { key = $0 }
            publish(prepared, request.head, requestID: requestID, startedNs: startedNs, responder)
        } catch {
            responder.respond(answer(error, request.head, key: key, requestID: requestID))
        }
    }

    public func refusal(of problem: HTTPProblem, head: HTTPRequestHead?) -> HTTPResponse {
        switch problem {
        case .badRequest: return route(.badRequest, head)
        case .methodUnknown: return route(head?.path == Self.path ? .methodNotAllowed : .notFound, head)
        case .bodyTooLarge: return answer(BatchRefusal(.payloadTooLarge), head, requestID: nextRequestID())
        case .unanswered: return answer(BatchRefusal(.internalError), head, requestID: nextRequestID())
        case .overloaded, .stopping:
            let refusal = BatchRefusal(.storageUnavailable, retryAfterSeconds: RetryAfter.brokerSeconds)
            return answer(refusal, head, requestID: nextRequestID())
        }
    }

    private func publish(
        _ prepared: BatchPipeline.Prepared,
        _ head: HTTPRequestHead,
        requestID: String,
        startedNs: Int64,
        _ responder: HTTPResponder
    ) {
        let pending = PendingAnswer { [self] outcome in
            guard outcome == .confirmed else {
                pipeline.limits.giveBack(prepared.admission)
                let refusal = BatchRefusal(.storageUnavailable, retryAfterSeconds: RetryAfter.brokerSeconds)
                responder.respond(answer(refusal, head, requestID: requestID))
                return
            }
            metrics.count(prepared.verdict, seconds: Double(clock.nowNs() - startedNs) / 1e9)
            reporter.report(prepared.verdict.rejected, app: prepared.app, receivedAtMs: prepared.receivedAtMs)
            let response = IngestAnswer.result(
                prepared.verdict,
                serverTimeMs: wallClock.nowMs(),
                requestID: requestID,
                language: language(of: head)
            )
            responder.respond(Browsers.allow(response, for: head))
        }
        guard !prepared.messages.isEmpty else { return pending.settle(.confirmed) }
        deadlines.watch(pending)
        publisher.publish(prepared.messages) { pending.settle($0 ? .confirmed : .failed) }
    }

    /// - Parameter key: whose batch it is; nil when only the head can tell.
    private func answer(
        _ refusal: BatchRefusal,
        _ head: HTTPRequestHead?,
        key: RegisteredKey? = nil,
        requestID: String
    ) -> HTTPResponse {
        metrics.batchesRefused[refusal.code].increment()
        reporter.report(refusal, key: key, head: head)
        let fields: Logger.Fields = [
            .requestID: requestID, .status: refusal.code.status, .code: refusal.code.rawValue,
        ]
        // While the broker is away every batch is refused: one line a second says so.
        if refusal.code.status >= 500 {
            throttled.warn("batch_refused", fields)
        } else {
            logger.debug("batch_refused", fields)
        }
        let response = IngestAnswer.refusal(refusal, requestID: requestID, language: language(of: head))
        return Browsers.allow(response, for: head)
    }

    private func route(_ code: RouteErrorCode, _ head: HTTPRequestHead?) -> HTTPResponse {
        var response = IngestAnswer.error(
            status: code.status,
            code: code.rawValue,
            message: code.message.text(in: language(of: head)),
            requestID: nextRequestID()
        )
        if code == .methodNotAllowed { response.headers.append(("Allow", Browsers.allowedMethods)) }
        return Browsers.allow(response, for: head)
    }

    private func nextRequestID() -> String {
        requestIDs.ulid(nowMs: wallClock.nowMs()).description
    }

    private func language(of head: HTTPRequestHead?) -> MessageLanguage {
        MessageLanguage(acceptLanguage: head?.headers["Accept-Language"])
    }
}
