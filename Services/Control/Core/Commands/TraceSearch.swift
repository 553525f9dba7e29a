import AggregatorCore
import Contracts
import Postgres
import Schema

/// What a table held of a subject.
struct SearchedTable: Sendable {
    let name: String
    /// Rows that were looked at.
    let rows: Int
    let columns: [String]
    let found: [(column: String, count: Int)]
}

/// Searches the whole schema for a subject.
///
/// Tables and columns come from the catalogue, so one that is added later is searched as well. Each table is read once, row by row.
struct TraceSearch: Sendable {
    private struct Table: Sendable {
        /// Quoted by the server.
        let name: String
        let columns: [Column]
        let hasAppNumber: Bool
        let hasAppID: Bool
    }

    private struct Column: Sendable {
        let name: String
        let isBytes: Bool
    }

    private let connection: PostgresConnection
    private let search: SubjectSearch
    private let appID: UUID128
    private let app: Int32

    init(connection: PostgresConnection, subject: DeletionSubject, appID: UUID128, app: Int32) {
        self.connection = connection
        search = SubjectSearch(subject)
        self.appID = appID
        self.app = app
    }

    var isWholeOnly: Bool { search.isWholeOnly }

    func run(progress: @Sendable (String) -> Void) async throws -> [SearchedTable] {
        var searched: [SearchedTable] = []
        for table in try await tables() {
            searched.append(try await look(into: table))
            progress(table.name)
        }
        return searched
    }

    /// Every table with rows of its own; one that is divided has none, its parts do.
    private func tables() async throws -> [Table] {
        let rows = try await connection.rows(
            """
            SELECT format('%I', c.relname), format('%I', a.attname), a.attname::text, a.atttypid = 'bytea'::regtype,
                   t.typcategory = 'S' OR a.atttypid IN ('uuid'::regtype, 'bytea'::regtype, 'json'::regtype,
                       'jsonb'::regtype) OR t.typcategory = 'A'
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'm')
              AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY c.relname, a.attnum LIMIT 100000
            """
        ) {
            (
                table: try $0.string(0), column: try $0.string(1), plain: try $0.string(2),
                isBytes: try $0.bool(3), isSearched: try $0.bool(4)
            )
        }
        return Dictionary(grouping: rows, by: \.table).sorted { $0.key < $1.key }.map { name, columns in
            Table(
                name: name,
                columns: columns.filter(\.isSearched).map { Column(name: $0.column, isBytes: $0.isBytes) },
                hasAppNumber: columns.contains { $0.plain == "app_no" },
                hasAppID: columns.contains { $0.plain == "app_id" }
            )
        }
    }

    private func look(into table: Table) async throws -> SearchedTable {
        let (search, condition) = (search, condition(for: table))
        let list = table.columns.map { $0.isBytes ? $0.name : "\($0.name)::text" }.joined(separator: ", ")
        let statement = SQL(unsafe: "SELECT \(list.isEmpty ? "NULL" : list) FROM \(table.name) ") + condition
        let (rows, counts) = try await connection.perform { connection in
            var rows = 0
            var counts = [Int](repeating: 0, count: table.columns.count)
            try connection.forEachRow(statement) { row in
                rows += 1
                for index in counts.indices where try !row.isNull(index) {
                    if try row.withBytes(index, { search.isFound(in: $0) }) { counts[index] += 1 }
                }
            }
            return (rows, counts)
        }
        return SearchedTable(
            name: table.name,
            rows: rows,
            columns: table.columns.map(\.name),
            found: zip(table.columns, counts).filter { $0.1 > 0 }.map { ($0.0.name, $0.1) }
        )
    }

    /// Another app may well know the same user.
    private func condition(for table: Table) -> SQL {
        if table.hasAppNumber { return "WHERE app_no = \(app)" }
        if table.hasAppID { return "WHERE app_id = \(appID)::uuid" }
        return ""
    }
}
