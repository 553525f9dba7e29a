import Contracts
import Postgres
import Schema

/// What a row of the ledger is found by.
struct SuppressionKey: Hashable, Sendable {
    let app: Int32
    let kind: SuppressionKind
    let hash: [UInt8]
}

/// Which times a row of the ledger reaches.
struct SuppressionRule: Sendable {
    let request: UUID128
    let requestedAtMs: Int64
    /// Nil while the request runs.
    let finishedAtMs: Int64?

    /// Received until the end of the request, or happened before it was made: neither a replay nor a late queue brings it back.
    ///
    /// The first half also covers an event dated ahead, the second one a queue that was sent long after.
    func covers(receivedAtMs: Int64, timeMs: Int64) -> Bool {
        guard let finishedAtMs else { return true }
        return receivedAtMs <= finishedAtMs || timeMs < requestedAtMs
    }
}

/// Reads and writes the ledger for a batch.
enum SuppressionLedger {
    /// Rows go this long after the end of their request: longer than anything erased would have been kept.
    static let monthsMax = 26
    /// Keys looked up by one statement.
    private static let keysMax = 10_000

    /// For each app with rows, the latest end and the latest request: an event after both meets no rule.
    static func windows(_ connection: isolated PostgresConnection) throws -> [Int32: SuppressionRule] {
        let rows = try connection.rows(
            """
            SELECT app_no, max(requested_at), CASE WHEN isfinite(max(finished_at)) THEN max(finished_at) END
            FROM suppressions WHERE kind <> 'install_anonymous' GROUP BY app_no ORDER BY app_no LIMIT 1000000
            """
        ) {
            let rule = SuppressionRule(
                request: .zero,
                requestedAtMs: try $0.timestampMs(1),
                finishedAtMs: try $0.optionalTimestampMs(2)
            )
            return (try $0.int32(0), rule)
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// The rules for these keys.
    static func rules(
        for keys: Set<SuppressionKey>,
        _ connection: isolated PostgresConnection
    ) throws -> [SuppressionKey: [SuppressionRule]] {
        var rules: [SuppressionKey: [SuppressionRule]] = [:]
        var rest = Array(keys)[...]
        while !rest.isEmpty {
            for (key, rule) in try look(Array(rest.prefix(keysMax)), connection) {
                rules[key, default: []].append(rule)
            }
            rest = rest.dropFirst(keysMax)
        }
        return rules
    }

    /// A subject has one finished row and those of requests that run or failed, so the answer is as bounded as the question.
    private static func look(
        _ keys: [SuppressionKey],
        _ connection: isolated PostgresConnection
    ) throws -> [(SuppressionKey, SuppressionRule)] {
        try connection.rows(
            """
            SELECT s.app_no, s.kind, s.subject_hash, s.request_id, s.requested_at,
                   CASE WHEN isfinite(s.finished_at) THEN s.finished_at END
            FROM unnest(\(keys.map(\.app))::integer[], \(keys.map(\.kind.rawValue))::text[],
                        \(keys.map(\.hash))::bytea[]) AS k(app_no, kind, subject_hash)
            JOIN suppressions s USING (app_no, kind, subject_hash)
            """
        ) {
            let key = SuppressionKey(
                app: try $0.int32(0),
                kind: SuppressionKind(rawValue: try $0.string(1)) ?? .user,
                hash: try $0.bytes(2)
            )
            let rule = SuppressionRule(
                request: try $0.uuid128(3),
                requestedAtMs: try $0.timestampMs(4),
                finishedAtMs: try $0.optionalTimestampMs(5)
            )
            return (key, rule)
        }
    }
}
