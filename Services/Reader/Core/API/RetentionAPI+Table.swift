import CSV
import Calendar

extension RetentionAPI {
    static let tableName = "retention"

    /// One record for each cohort, with a column for each period after its own; a period that has not ended is an empty cell.
    func table(_ snapshot: ReportSnapshot) -> [UInt8] {
        let cohorts = cohorts(snapshot)
        var writer = CSVWriter(reservingBytes: 1024 + cohorts.count * (periods + 4) * 8)
        writer.header(["from", "to", "size"] + (0...periods).map { "retention_\($0)" })
        for cohort in cohorts {
            writer.text(cohort.first.description)
            writer.text(cohort.last.description)
            writer.int(cohort.size)
            for returned in cohort.returned {
                writer.double(returned.flatMap { Share.of($0, in: cohort.size) })
            }
            writer.endRecord()
        }
        return writer.bytes
    }
}
