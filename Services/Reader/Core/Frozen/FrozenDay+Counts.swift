/// What a frozen day can still tell of those who match a filter.
///
/// Totals are kept by each value of one dimension at a time. So a filter of one field is answered, and one of several only where some field
/// alone matches nobody: how many have both is not known.
extension FrozenTotals.Day {
    func counts(_ question: ReportQuestion) -> AudienceCounts {
        let conditions = question.filter.conditions
        guard let first = conditions.first else { return whole(question.unit) }
        let counts = self.counts(question.unit, first.dimension, first.values)
        guard conditions.count > 1 else { return counts }
        let others = conditions.dropFirst().map { self.counts(question.unit, $0.dimension, $0.values) }
        return Self.intersection([whole(question.unit), counts] + others)
    }

    /// The same for each value of a dimension that somebody had.
    func counts(_ question: ReportQuestion, by dimension: ReportDimension) -> [(
        value: String?, counts: AudienceCounts
    )] {
        let conditions = question.filter.conditions
        let allowed = conditions.first { $0.dimension == dimension }?.values
        let others = conditions.filter { $0.dimension != dimension }
            .map { counts(question.unit, $0.dimension, $0.values) }
        return rows.filter { $0.dimension == dimension && allowed?.contains($0.value) ?? true }.map { row in
            let own = row.counts(question.unit)
            return (row.value, others.isEmpty ? own : Self.intersection([own] + others))
        }
    }

    private func whole(_ unit: ReportUnit) -> AudienceCounts {
        rows.first { $0.dimension == nil }?.counts(unit) ?? AudienceCounts()
    }

    /// Whoever has one of several values: sessions have one each, and so have first events; people may have several.
    private func counts(
        _ unit: ReportUnit,
        _ dimension: ReportDimension,
        _ values: Set<String?>
    ) -> AudienceCounts {
        var counts = AudienceCounts()
        let parts = rows.filter { $0.dimension == dimension && values.contains($0.value) }
        counts.add(frozen: parts.map { $0.counts(unit) })
        return counts
    }

    /// Nobody where any part is nobody, and else not known.
    private static func intersection(_ parts: [AudienceCounts]) -> AudienceCounts {
        AudienceCounts(
            active: parts.contains { $0.active == 0 } ? 0 : nil,
            new: parts.contains { $0.new == 0 } ? 0 : nil,
            sums: parts.contains { $0.sums?.sessions == 0 } ? SessionSums() : nil
        )
    }
}

extension ReportFilter {
    /// In a fixed order.
    var conditions: [(dimension: ReportDimension, values: Set<String?>)] {
        Field.allCases.compactMap { field in values[field].map { (field.dimension, $0) } }
    }

    var dimensions: Set<ReportDimension> { Set(conditions.map(\.dimension)) }
}
