import Contracts
import HTTP
import Testing

@testable import IngestCore

/// A request that is refused as a whole.
struct RefusalCase: Sendable, CustomTestStringConvertible {
    let refusal: BatchRefusal
    let request: PostText
    var isConfirmed = true

    var testDescription: String { refusal.code.rawValue }
}

@Suite struct BatchRefusalTests {
    static let cases = [
        RefusalCase(refusal: BatchRefusal(.invalidJSON), request: PostText(Array("{".utf8))),
        RefusalCase(
            refusal: BatchRefusal(.invalidBatch, field: "events", issue: .minItems),
            request: PostText(BatchText.of([]))
        ),
        RefusalCase(
            refusal: BatchRefusal(.unsupportedContentEncoding),
            request: PostText().with("Content-Encoding", "br")
        ),
        RefusalCase(refusal: BatchRefusal(.missingAppKey), request: PostText().with("X-App-Key", nil)),
        RefusalCase(refusal: BatchRefusal(.invalidAppKey), request: PostText().with("X-App-Key", "pk_x")),
        RefusalCase(
            refusal: BatchRefusal(.appArchived),
            request: PostText().with("X-App-Key", PipelineWorld.archivedKey)
        ),
        RefusalCase(
            refusal: BatchRefusal(.payloadTooLarge),
            request: PostText(paddedBatch(bytes: EventLimits.bodyBytesMax + 1))
        ),
        RefusalCase(
            refusal: BatchRefusal(.unsupportedMediaType),
            request: PostText().with("Content-Type", nil)
        ),
        RefusalCase(
            refusal: BatchRefusal(.storageUnavailable, retryAfterSeconds: 5),
            request: PostText().with("X-App-Key", "pk_x"),
            isConfirmed: false
        ),
    ]

    /// Given by the limiter and by the server around the pipeline.
    static let notThePipelines: Set<IngestErrorCode> = [.appRateLimited, .internalError]

    @Test(arguments: cases) func isRefused(_ refused: RefusalCase) {
        let world = PipelineWorld(isConfirmed: refused.isConfirmed)

        #expect(world.refusal(of: refused.request) == refused.refusal)
    }

    @Test func everyCodeHasACase() {
        let covered = Set(Self.cases.map(\.refusal.code)).union(Self.notThePipelines)
        #expect(covered == Set(IngestErrorCode.allCases))
    }

    @Test func theRequestOfTheseTestsIsTaken() throws {
        #expect(try PipelineWorld().prepare(PostText()).messages.count == 1)
    }

    @Test func theTimeOfReceiptIsTheClocks() throws {
        #expect(try PipelineWorld().prepare(PostText()).receivedAtMs == TestTime.receivedAtMs)
    }

    @Test func aBatchOfRejectedEventsIsProcessedAndPublishesNothing() throws {
        let prepared = try PipelineWorld().prepare(PostText(BatchText.ofValues(["null", "{}"])))

        #expect(prepared.verdict.rejected.count == 2)
        #expect(prepared.messages.isEmpty)
    }
}

/// Which of the two places of the key counts.
@Suite struct AppKeyTests {
    private func refusal(header: String?, body: String?) -> BatchRefusal? {
        let batch = BatchText.of([EventText.start()]) { $0["app_key"] = body }
        return PipelineWorld().refusal(of: PostText(batch).with("X-App-Key", header))
    }

    private static let key = PipelineWorld.key

    @Test(
        arguments: [
            (key, nil), (nil, quoted(key)), (key, quoted(key)), (key, "null"), (key, #""""#),
            (" \(key)\t", nil),
            ("", quoted(key)), (" ", quoted(key)), (" \(key) ", quoted(key)),
        ] as [(String?, String?)]
    )
    func oneOrTheOtherOrBothAlikeAreTaken(header: String?, body: String?) {
        #expect(refusal(header: header, body: body) == nil)
    }

    @Test(
        arguments: [(nil, nil), (nil, "null"), (nil, #""""#), ("", nil), ("  ", #""""#)]
            as [(String?, String?)]
    )
    func neitherIsMissing(header: String?, body: String?) {
        #expect(refusal(header: header, body: body) == BatchRefusal(.missingAppKey))
    }

    @Test(arguments: [PipelineWorld.webKey, "pk_x", "PK_IOS", " pk_ios"])
    func bothMustMatch(body: String) {
        #expect(
            refusal(header: Self.key, body: quoted(body))
                == BatchRefusal(.invalidBatch, field: "app_key", issue: .mismatch)
        )
    }

    @Test(arguments: ["pk_x", "PK_IOS", "pk_ios1", "pk_io", "sk_ios", "pk_ios,pk_ios"])
    func anUnknownKeyIsRefusedFromEitherPlace(key: String) {
        #expect(refusal(header: key, body: nil) == BatchRefusal(.invalidAppKey))
        #expect(refusal(header: nil, body: quoted(key)) == BatchRefusal(.invalidAppKey))
    }

    @Test func anArchivedAppIsRefusedFromEitherPlace() {
        #expect(refusal(header: PipelineWorld.archivedKey, body: nil) == BatchRefusal(.appArchived))
        #expect(refusal(header: nil, body: quoted(PipelineWorld.archivedKey)) == BatchRefusal(.appArchived))
    }

    @Test func theHeaderTwiceAlikeIsTaken() {
        #expect(PipelineWorld().refusal(of: PostText().adding("X-App-Key", Self.key)) == nil)
    }

    @Test func twoHeadersThatDifferAreAMismatch() {
        let request = PostText().adding("X-App-Key", PipelineWorld.webKey)

        #expect(
            PipelineWorld().refusal(of: request)
                == BatchRefusal(.invalidBatch, field: "X-App-Key", issue: .mismatch)
        )
    }

    @Test func theHeadersNameIsNotCaseSensitive() {
        let request = PostText().with("X-App-Key", nil).with("x-app-key", Self.key)

        #expect(PipelineWorld().refusal(of: request) == nil)
    }

    @Test func theKeysPlatformIsTheEvents() throws {
        let prepared = try PipelineWorld().prepare(PostText().with("X-App-Key", PipelineWorld.webKey))

        #expect(prepared.verdict.contexts.map(\.context.platform) == [.web])
    }

    /// Refused from the head, so that a client with a dead key does not upload its body first.
    @Test func anUnknownKeyIsRefusedBeforeTheBody() {
        let head = PostText().with("X-App-Key", "pk_x").request.head

        #expect(throws: BatchRefusal(.invalidAppKey)) { try PipelineWorld().pipeline.checkHead(head) }
    }

    @Test func aHeadWithoutAKeyWaitsForTheBody() {
        let head = PostText().with("X-App-Key", nil).request.head

        #expect(throws: Never.self) { try PipelineWorld().pipeline.checkHead(head) }
    }
}
