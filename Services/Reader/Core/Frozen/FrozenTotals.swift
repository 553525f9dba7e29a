import Calendar

/// The totals that stay of days older than raw events, of the dimensions that a report needs.
struct FrozenTotals: Sendable {
    /// Counts of a day: all of them, or those of one value of a dimension.
    struct Row: Sendable {
        /// Nil for the whole day.
        var dimension: ReportDimension?
        var value: String?
        var activePersons: Int32?
        var activeInstalls: Int32?
        var newPersons: Int32?
        var newInstalls: Int32?
        var sums: SessionSums

        var isNothing: Bool {
            ReportUnit.allCases.allSatisfy { counts($0).isNothing }
        }

        func counts(_ unit: ReportUnit) -> AudienceCounts {
            let (active, new) =
                switch unit {
                case .persons: (activePersons, newPersons)
                case .installs: (activeInstalls, newInstalls)
                }
            return AudienceCounts(active: active.map(Int.init), new: new.map(Int.init), sums: sums)
        }
    }

    struct Day: Sendable {
        var day: LocalDay
        var rows: [Row] = []
    }

    /// In order of their dates.
    private(set) var days: [Day] = []
    /// Names what the rows say, for the name of a report's state.
    private(set) var digest = RowDigest()

    var isEmpty: Bool { days.isEmpty }
    var last: LocalDay? { days.last?.day }

    /// Takes a row of the last day added, or of one after it.
    mutating func add(_ row: Row, of day: LocalDay) {
        if days.last?.day != day { days.append(Day(day: day)) }
        days[days.count - 1].rows.append(row)
        digest.add(row, of: day)
    }

    func days(_ span: DaySpan) -> ArraySlice<Day> {
        guard let first = days.firstIndex(where: { $0.day >= span.first }) else { return [] }
        let end = days[first...].firstIndex { $0.day > span.last } ?? days.endIndex
        return days[first..<end]
    }

    /// What is known of each frozen day of a span, in order.
    func counts(_ question: ReportQuestion, _ span: DaySpan) -> [AudienceCounts] {
        days(span).map { $0.counts(question) }
    }
}

/// Tells rows from other rows (FNV-1a over all they say).
struct RowDigest: Sendable, Equatable {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ row: FrozenTotals.Row, of day: LocalDay) {
        add(Int64(day.number))
        add(text: row.dimension?.rawValue)
        add(text: row.value)
        for count in [row.activePersons, row.activeInstalls, row.newPersons, row.newInstalls] {
            add(count.map(Int64.init) ?? -1)
        }
        add(Int64(row.sums.sessions))
        add(Int64(row.sums.ended))
        add(row.sums.durationMs)
    }

    private mutating func add(text: String?) {
        add(text.map { Int64($0.utf8.count) } ?? -1)
        for byte in (text ?? "").utf8 { add(byte: byte) }
    }

    private mutating func add(_ number: Int64) {
        let bits = UInt64(bitPattern: number)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            add(byte: UInt8(truncatingIfNeeded: bits >> shift))
        }
    }

    private mutating func add(byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
    }
}
