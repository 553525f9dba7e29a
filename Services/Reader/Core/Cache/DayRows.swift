import Calendar
import Contracts
import Postgres
import Schema
import Wire

/// The rows of closed days.
enum DayRows {
    static func versions(_ key: WorldKey, _ span: DaySpan, _ moment: Moment) -> SQL {
        """
        SELECT day, revision FROM closed_days
        WHERE app_no = \(key.app) AND environment = \(key.environment.code)
          AND zone_version = \(moment.zoneVersion) AND day BETWEEN \(span.first)::date AND \(span.last)::date
        ORDER BY day LIMIT 4000
        """
    }

    static func blocks(_ key: WorldKey, _ days: [LocalDay], _ moment: Moment) -> SQL {
        """
        SELECT day, first_at, end_at, block FROM closed_days
        WHERE app_no = \(key.app) AND environment = \(key.environment.code)
          AND zone_version = \(moment.zoneVersion) AND day = ANY(\(days.map(\.description))::date[])
        ORDER BY day LIMIT \(days.count)
        """
    }

    struct Bytes: Sendable {
        var day: LocalDay
        var bounds: Range<Int64>
        var block: [UInt8]

        init(_ row: borrowing Row) throws {
            day = try row.localDay(0)
            let (first, end) = (try row.timestampMs(1), try row.timestampMs(2))
            bounds = first..<max(first, end)
            block = try row.bytes(3)
        }

        func decoded(_ columns: DayBlockCodec.Columns) -> Result<ReportDay, DamagedDay> {
            do throws(DayBlockError) {
                let block = try DayBlockCodec.decode(block, columns)
                return .success(ReportDay(day: day, bounds: bounds, block: block))
            } catch {
                return .failure(DamagedDay(day: day, reason: error))
            }
        }
    }

    /// - Throws: `DamagedDay`.
    static func decode(_ rows: [Bytes]) throws -> [ReportDay] {
        try Parallel.map(rows) { $0.decoded(.all) }.map { try $0.get() }
    }
}

/// A stored day that cannot be read.
struct DamagedDay: Error, CustomStringConvertible {
    let day: LocalDay
    let reason: DayBlockError
    var description: String { "the block of \(day) cannot be read: \(reason)" }
}
