import CSV
import Calendar
import Contracts

extension PortfolioAPI {
    /// One record for each app; trends and platforms are left to JSON.
    static func table(_ items: [Item]) -> [UInt8] {
        var writer = CSVWriter(reservingBytes: 128 + items.count * 160)
        writer.header([
            "app_id", "name", "date", "dau", "previous_date", "previous_dau", "delta_pct_dau", "new",
            "sessions", "d1", "d7",
        ])
        for item in items {
            let figures = item.figures
            writer.text(item.app.id.description)
            writer.text(item.app.name)
            writer.text(figures.day.description)
            let (dau, before) = (figures.dau.map(Int64.init), figures.dauWeekAgo.map(Int64.init))
            writer.int64(dau)
            writer.text(figures.weekAgo.description)
            writer.int64(before)
            writer.double(Change.percent(from: before, to: dau))
            writer.int64(figures.new.map(Int64.init))
            writer.int64(figures.sessions.map(Int64.init))
            writer.double(Share.of(figures.dayOne.returned, in: figures.dayOne.size))
            writer.double(Share.of(figures.daySeven.returned, in: figures.daySeven.size))
            writer.endRecord()
        }
        return writer.bytes
    }
}
