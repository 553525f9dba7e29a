import Postgres

/// The rows of contexts.
enum ContextRows {
    static func statement(app: Int32, numbers: [Int32]?) -> SQL {
        """
        SELECT context_no, platform, os_name, os_version, app_version, device_model, device_type, country, city,
               locale
        FROM contexts
        WHERE app_no = \(app) AND (\(numbers)::integer[] IS NULL OR context_no = ANY(\(numbers)::integer[]))
        ORDER BY context_no LIMIT 100000000
        """
    }

    static func read(_ row: borrowing Row) throws -> (number: Int32, context: ReportContext) {
        var context = ReportContext(platform: try row.string(1))
        let rest: [ReportDimension] = [
            .osName, .osVersion, .appVersion, .deviceModel, .deviceType, .country, .city, .locale,
        ]
        for (index, dimension) in rest.enumerated() {
            context[dimension] = try row.optionalString(2 + index)
        }
        return (try row.int32(0), context)
    }
}
