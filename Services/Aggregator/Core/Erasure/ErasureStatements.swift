import Contracts
import Postgres
import Schema

/// The statements of erasures that touch requests and the ledger.
enum ErasureStatements {
    /// Requests whose time has come, the longest waiting first; those of an app that is being merged or deleted wait for that.
    static func due(nowMs: Int64, limit: Int) -> SQL {
        """
        SELECT request_id, app_no FROM deletion_requests
        WHERE status IN ('pending', 'running') AND next_attempt_at <= \(PostgresTimestamp(ms: nowMs))::timestamptz
          AND NOT app_is_changing(app_no)
        ORDER BY next_attempt_at, request_id LIMIT \(limit)
        """
    }

    /// The request if it is still to be done, with its app's name.
    static func open(_ request: UUID128, nowMs: Int64) -> SQL {
        """
        SELECT d.app_no, d.subject_type, d.subject_value, d.requested_at, a.name
        FROM deletion_requests d JOIN apps a ON a.app_no = d.app_no
        WHERE d.request_id = \(request)::uuid AND d.status IN ('pending', 'running')
          AND d.next_attempt_at <= \(PostgresTimestamp(ms: nowMs))::timestamptz LIMIT 1
        """
    }

    static func begin(_ request: UUID128, hash: [UInt8], nowMs: Int64) -> SQL {
        """
        UPDATE deletion_requests
        SET status = 'running', subject_hash = \(hash)::bytea,
            started_at = coalesce(started_at, \(PostgresTimestamp(ms: nowMs))::timestamptz)
        WHERE request_id = \(request)::uuid AND status IN ('pending', 'running')
        """
    }

    /// Rules of a request, one for each hash; those that are there stay as they are.
    static func addRules(_ task: ErasureTask, kind: SuppressionKind, hashes: [[UInt8]]) -> SQL {
        """
        INSERT INTO suppressions (app_no, kind, subject_hash, request_id, requested_at, finished_at, swept)
        SELECT \(task.app)::integer, \(kind.rawValue)::text, hash, \(task.id)::uuid,
               \(PostgresTimestamp(ms: task.requestedAtMs))::timestamptz, 'infinity', true
        FROM unnest(\(hashes)::bytea[]) AS h(hash) ORDER BY hash
        ON CONFLICT DO NOTHING
        """
    }

    /// Takes over the rules of requests for the same subject that failed: some of what they found is no longer there to be found again.
    static func adoptRules(_ task: ErasureTask) -> SQL {
        """
        INSERT INTO suppressions (app_no, kind, subject_hash, request_id, requested_at, finished_at, swept,
                                  sweep_environment, sweep_install_id)
        SELECT DISTINCT ON (s.kind, s.subject_hash) s.app_no, s.kind, s.subject_hash, \(task.id)::uuid,
               \(PostgresTimestamp(ms: task.requestedAtMs))::timestamptz, 'infinity'::timestamptz, s.swept,
               s.sweep_environment, s.sweep_install_id
        FROM suppressions s
        WHERE s.request_id IN (\(failed(task)))
        ORDER BY s.kind, s.subject_hash, s.swept
        ON CONFLICT DO NOTHING
        """
    }

    static func dropAdopted(_ task: ErasureTask) -> SQL {
        "DELETE FROM suppressions WHERE request_id IN (\(failed(task)))"
    }

    /// Earlier requests for the subject that were given up: the one that is done now did their work.
    static func closeFailed(_ task: ErasureTask) -> SQL {
        """
        UPDATE deletion_requests SET subject_value = NULL, error = 'done_by_a_later_request'
        WHERE request_id IN (\(failed(task)))
        """
    }

    private static func failed(_ task: ErasureTask) -> SQL {
        """
        SELECT request_id FROM deletion_requests
        WHERE app_no = \(task.app) AND subject_type = \(task.subject.type.rawValue)
          AND subject_value = \(task.subject.value) AND status = 'failed'
        """
    }

    static func noteReceipt(of request: UUID128, ms: Int64) -> SQL {
        """
        UPDATE deletion_requests SET received_last = \(PostgresTimestamp(ms: ms))::timestamptz
        WHERE request_id = \(request)::uuid
          AND (received_last IS NULL OR received_last < \(PostgresTimestamp(ms: ms))::timestamptz)
        """
    }

    /// The end of a request: now, and not before anything it erased was asked for or received.
    static func endRules(_ request: UUID128, nowMs: Int64) -> SQL {
        """
        UPDATE suppressions s
        SET finished_at = greatest(\(PostgresTimestamp(ms: nowMs))::timestamptz, d.requested_at, d.received_last)
        FROM deletion_requests d
        WHERE d.request_id = \(request)::uuid AND s.request_id = d.request_id
        """
    }

    static func end(_ request: UUID128, nowMs: Int64) -> SQL {
        """
        UPDATE deletion_requests
        SET status = 'done', completed_at = \(PostgresTimestamp(ms: nowMs))::timestamptz, subject_value = NULL,
            error = NULL
        WHERE request_id = \(request)::uuid
        """
    }

    /// Rules that say nothing more than those of this request do.
    static func dropCovered(by request: UUID128) -> SQL {
        """
        DELETE FROM suppressions o USING suppressions n
        WHERE n.request_id = \(request)::uuid AND o.app_no = n.app_no AND o.kind = n.kind
          AND o.subject_hash = n.subject_hash AND o.request_id <> n.request_id AND o.swept
          AND o.finished_at <= n.finished_at AND o.requested_at <= n.requested_at
        """
    }

    /// The next attempt waits a second at first, then twice as long each time, up to five minutes.
    static func attemptFailed(_ request: UUID128, reason: String, attemptsMax: Int, nowMs: Int64) -> SQL {
        """
        UPDATE deletion_requests
        SET attempts = attempts + 1, error = \(reason),
            next_attempt_at = \(PostgresTimestamp(ms: nowMs))::timestamptz
                + least(300, power(2, least(attempts, 20))) * interval '1 second',
            status = CASE WHEN attempts + 1 >= \(attemptsMax) THEN 'failed' ELSE status END
        WHERE request_id = \(request)::uuid AND status IN ('pending', 'running')
        RETURNING status = 'failed', attempts
        """
    }

    /// Rules that are past their time.
    static func prune(nowMs: Int64, limit: Int) -> SQL {
        """
        DELETE FROM suppressions WHERE (app_no, kind, subject_hash, request_id) IN (
            SELECT app_no, kind, subject_hash, request_id FROM suppressions
            WHERE swept AND finished_at < \(PostgresTimestamp(ms: nowMs))::timestamptz
                - make_interval(months => \(SuppressionLedger.monthsMax))
            ORDER BY finished_at LIMIT \(limit))
        """
    }
}
