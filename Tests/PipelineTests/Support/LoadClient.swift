import Glibc
import ServiceKit
import Synchronization

/// What clients under load have seen: every status, and every event that was acknowledged.
final class LoadRecord: Sendable {
    struct Totals: Sendable {
        var statuses: [Int: Int] = [:]
        var broken = 0
        var acknowledged: Set<String> = []
        /// Events of batches that never got an answer or were not taken in time: they may have arrived.
        var unknown: Set<String> = []
        /// Kinds of requests and how many of each were made.
        var kinds: [String: Int] = [:]
        var slowestMs: Int64 = 0
    }

    private let totals = Mutex(Totals())

    var snapshot: Totals { totals.withLock { $0 } }

    func note(_ kind: String, _ status: Int, tookMs: Int64) {
        totals.withLock { totals in
            totals.statuses[status, default: 0] += 1
            totals.kinds[kind, default: 0] += 1
            totals.slowestMs = max(totals.slowestMs, tookMs)
        }
    }

    func noteBroken(_ kind: String) {
        totals.withLock { totals in
            totals.broken += 1
            totals.kinds[kind, default: 0] += 1
        }
    }

    func giveUp(_ ids: some Sequence<String>) {
        totals.withLock { $0.unknown.formUnion(ids) }
    }

    func acknowledge(_ ids: some Sequence<String>) {
        totals.withLock { $0.acknowledged.formUnion(ids) }
    }
}

/// One client with a connection that it keeps, as the recipes have it: it sends a batch until it is taken, and waits as told.
///
/// It blocks: it lives on a thread of its own.
final class LoadClient {
    private let port: Int
    private let address: String
    private let key: String
    private let record: LoadRecord
    private var make: EventMaker
    private var connection: RawConnection?
    private let installs: [String]

    init(port: Int, address: String = HTTPCall.clientAddress, key: String, seed: UInt64, record: LoadRecord) {
        (self.port, self.address, self.key, self.record) = (port, address, key, record)
        var make = EventMaker(seed: seed)
        installs = (0..<50).map { _ in make.uuid() }
        self.make = make
    }

    /// A batch of so many starts.
    func batch(_ count: Int) -> TestBatch {
        let nowMs = SystemWallClock().nowMs()
        let events = (0..<count).compactMap { _ in
            make.session(at: nowMs, install: installs.randomElement(using: &make.random)).first
        }
        return TestBatch(events: events, context: ["platform": "ios"])
    }

    /// Sends one batch until it is taken or the time is over; its events are acknowledged by the 200.
    func deliver(_ count: Int, paddedTo bytes: Int = 0, until deadline: ContinuousClock.Instant) {
        deliver(batch(count), paddedTo: bytes, until: deadline)
    }

    func deliver(_ batch: TestBatch, paddedTo bytes: Int = 0, until deadline: ContinuousClock.Instant) {
        var isTaken = false
        defer { if !isTaken { record.giveUp(batch.events.map(\.insertID)) } }
        while true {
            var body = batch.bytes
            if body.count < bytes { body += [UInt8](repeating: UInt8(ascii: " "), count: bytes - body.count) }
            guard let answer = ask("valid", body) else {
                guard ContinuousClock.now < deadline else { return }
                usleep(200_000)
                continue
            }
            if answer.status == 200 {
                isTaken = true
                let rejected = Set(answer.json["rejected"].list.compactMap { $0["insert_id"].string })
                return record.acknowledge(batch.events.map(\.insertID).filter { !rejected.contains($0) })
            }
            guard answer.status == 429 || answer.status == 503, ContinuousClock.now < deadline else { return }
            usleep(UInt32(answer.retryAfterSeconds ?? 1) * 1_000_000)
        }
    }

    /// The answer, or nil when the connection broke.
    func ask(_ kind: String, _ body: [UInt8], _ headers: String = "", isChunked: Bool = false) -> HTTPAnswer?
    {
        let began = ContinuousClock.now
        do {
            let open = try connection ?? RawConnection(port: port, from: address)
            connection = open
            try open.send(request(body, headers, isChunked: isChunked))
            let answer = try open.answer()
            record.note(kind, answer.status, tookMs: (ContinuousClock.now - began) / .milliseconds(1))
            if answer.headers["connection"]?.lowercased() == "close" { connection = nil }
            return answer
        } catch {
            connection = nil
            record.noteBroken(kind)
            return nil
        }
    }

    func request(_ body: [UInt8], _ headers: String = "", isChunked: Bool = false) -> [UInt8] {
        let head =
            "POST /v1/events HTTP/1.1\r\nHost: load\r\nContent-Type: application/json\r\nX-App-Key: \(key)\r\n\(headers)"
        guard isChunked else { return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body }
        var bytes = Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8)
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(50_000)
            bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
            rest = rest.dropFirst(piece.count)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }
}

extension Duration {
    fileprivate static func / (left: Duration, right: Duration) -> Int64 {
        let parts = left.components
        return parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
