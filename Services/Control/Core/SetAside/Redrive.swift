import AggregatorCore
import JSON
import Postgres
import ServiceKit

/// Tries messages that were set aside with today's decoder.
///
/// Each is stored first and deleted after: whatever comes between, trying it again changes nothing.
struct Redrive {
    struct Totals: Sendable {
        /// Messages that work now; their rows are gone.
        var stored = 0
        var newEvents = 0
        /// Messages that still cannot be used.
        var unusable = 0
        /// Messages of which nothing was kept.
        var withoutPayload = 0
    }

    private let context: CommandContext
    private let connection: PostgresConnection
    private let parser = JSONParser()
    private var stores: [String: PatientStore] = [:]
    private var rejections: RejectionStore?
    private(set) var totals = Totals()
    private static let pageRows = 500
    /// More than a broker takes.
    private static let payloadBytesMax = 1 << 30

    init(context: CommandContext, connection: PostgresConnection) {
        (self.context, self.connection) = (context, connection)
    }

    mutating func all(reason: String?) async throws {
        var last: SetAsideID?
        while true {
            let page = try await SetAsideTable.page(
                after: last,
                reason: reason,
                limit: Self.pageRows,
                connection
            )
            guard let end = page.last else { return }
            for id in page { _ = try await one(id) }
            last = end
            context.progress("\(totals.stored) stored, \(totals.unusable + totals.withoutPayload) left")
        }
    }

    /// Returns false when there is no such message.
    mutating func one(_ id: SetAsideID) async throws -> Bool {
        let found = try await SetAsideTable.find(id, payloadBytesMax: Self.payloadBytesMax, connection)
        guard let found else { return false }
        guard found.message.payloadBytes > 0 else {
            totals.withoutPayload += 1
            return true
        }
        guard try await store(found.payload, of: id) else {
            totals.unusable += 1
            return true
        }
        _ = try await SetAsideTable.delete(id, connection)
        totals.stored += 1
        return true
    }

    /// Returns whether the message could be used.
    private mutating func store(_ payload: [UInt8], of id: SetAsideID) async throws -> Bool {
        if id.topic == context.settings.rejectionsTopic { return try await storeRejections(payload, of: id) }
        let content = MessageDecoding.content(of: payload, parser)
        guard case .events = content else { return false }
        let store = stores[id.topic] ?? PatientStore(context: context, topic: id.topic)
        stores[id.topic] = store
        let message = DecodedMessage(partition: id.partition, offset: id.offset, content: content)
        let outcome = try await store.store([message])
        totals.newEvents += outcome.new
        return outcome.setAside.isEmpty
    }

    private mutating func storeRejections(_ payload: [UInt8], of id: SetAsideID) async throws -> Bool {
        let content = RejectionDecoding.content(of: payload, parser)
        guard case .rejections = content else { return false }
        let store: RejectionStore
        if let rejections {
            store = rejections
        } else {
            store = try await RejectionStore(connection: connection, topic: id.topic)
            rejections = store
        }
        let message = DecodedRejections(partition: id.partition, offset: id.offset, content: content)
        // The aggregator's sweep deletes what is too old.
        return try await store.store([message], progress: [], oldestMs: .min).setAside.isEmpty
    }
}
