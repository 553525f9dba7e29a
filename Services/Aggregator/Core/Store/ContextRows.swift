import Contracts
import Postgres
import Schema

/// How contexts are read from their table and written there.
enum ContextRows {
    /// Each context that has a row, by its place in the list, which counts from 1.
    static func look(for contexts: [AdmittedEvents.Context]) -> SQL {
        """
        SELECT k.number, c.context_no
        FROM unnest(\(contexts.map(\.key.app))::integer[], \(contexts.map(\.key.fingerprint))::uuid[])
            WITH ORDINALITY AS k(app_no, fingerprint, number)
        JOIN contexts c ON c.app_no = k.app_no AND c.fingerprint = k.fingerprint
        """
    }

    static func number(_ row: borrowing Row) throws -> (Int, Int32) { (try row.int(0), try row.int32(1)) }

    /// Makes those that are not there, in one order for all stores, and returns them.
    static func insert(_ contexts: [AdmittedEvents.Context]) -> SQL {
        let values = contexts.map(\.context.dimensions)
        func column(_ index: Int) -> [String?] { values.map { $0[index] } }
        return """
            INSERT INTO contexts (app_no, fingerprint, platform, os_name, os_version, app_version, app_build,
                                  device_model, device_type, locale, country, city)
            SELECT * FROM unnest(
                \(contexts.map(\.key.app))::integer[], \(contexts.map(\.key.fingerprint))::uuid[],
                \(column(0))::text[], \(column(1))::text[], \(column(2))::text[], \(column(3))::text[],
                \(column(4))::text[], \(column(5))::text[], \(column(6))::text[], \(column(7))::text[],
                \(column(8))::text[], \(column(9))::text[]) AS n(app_no, fingerprint)
            ORDER BY n.app_no, n.fingerprint
            ON CONFLICT DO NOTHING
            RETURNING app_no, fingerprint, context_no
            """
    }

    static func made(_ row: borrowing Row) throws -> (ContextKey, Int32) {
        (ContextKey(app: try row.int32(0), fingerprint: try row.uuid128(1)), try row.int32(2))
    }
}
