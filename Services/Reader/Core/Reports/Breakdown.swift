/// The figures of a span for each value of one dimension.
enum Breakdown {
    struct Item: Sendable, Equatable {
        /// Nil for sessions and people without a value.
        var value: String?
        var counts = AudienceCounts()
    }

    /// Every value that anybody had in the span, whether its days are there in full or as totals.
    static func items(
        _ dimension: ReportDimension,
        _ data: ReportData,
        _ question: ReportQuestion,
        _ span: DaySpan
    ) -> [Item] {
        let closed = items(
            dimension,
            data,
            question,
            days: data.days(from: span.first, through: span.last)
        )
        var frozen: [String?: [AudienceCounts]] = [:]
        for day in data.frozen.days(span) {
            for (value, counts) in day.counts(question, by: dimension) {
                frozen[value, default: []].append(counts)
            }
        }
        guard !frozen.isEmpty else { return closed }
        var items = Dictionary(closed.map { ($0.value, $0) }) { first, _ in first }
        for (value, days) in frozen { items[value, default: Item(value: value)].counts.add(frozen: days) }
        return sorted(items.values)
    }

    /// Without values that nobody had, in order.
    ///
    /// By active people; where those of a value are not known, all by sessions.
    private static func sorted(_ items: some Sequence<Item>) -> [Item] {
        let all = items.filter { !$0.counts.isNothing }
        let isKnown = all.allSatisfy { $0.counts.active != nil }
        func rank(_ item: Item) -> (Int, Int) {
            (isKnown ? item.counts.active ?? 0 : 0, item.counts.sums?.sessions ?? 0)
        }
        return all.sorted { left, right in
            let (first, second) = (rank(left), rank(right))
            if first != second { return first > second }
            return (left.value ?? "") < (right.value ?? "")
        }
    }

    /// Every value that anybody had in the span, the most active first; a person with several values is counted in each.
    static func items(
        _ dimension: ReportDimension,
        _ data: ReportData,
        _ question: ReportQuestion,
        days: ArraySlice<ResolvedDay>
    ) -> [Item] {
        let matches = data.contexts.matches(question.filter)
        let values = ValueTable(dimension, data.contexts)
        let parts = valueParts(days, matches, values)
        // Every worker takes each so-many-th value and uses one counter for all of them.
        let lanes = Parallel.map(Array(0..<Parallel.width)) { lane in
            var counter = DistinctCounter(limit: data.people.subjectLimit(question.unit))
            var items: [Int: Item] = [:]
            for value in stride(from: lane, to: parts.count, by: Parallel.width) where !parts[value].isEmpty {
                var sums = SessionSums()
                for part in parts[value] {
                    let group = days[part.day].scan.groups[part.group]
                    counter.add(days[part.day].subjects(question.unit), group.entries)
                    sums.add(group)
                }
                let counts = AudienceCounts(active: counter.takeCount(), sums: sums)
                items[value] = Item(value: values.values[value], counts: counts)
            }
            return items
        }
        var items = lanes.reduce(into: [Int: Item]()) { all, lane in all.merge(lane) { first, _ in first } }
        addNew(to: &items, question, days, matches, values)
        return sorted(items.values)
    }

    private struct Part: Sendable {
        var day: Int
        var group: Int
    }

    private static func valueParts(
        _ days: ArraySlice<ResolvedDay>,
        _ matches: [Bool],
        _ values: ValueTable
    ) -> [[Part]] {
        var parts = [[Part]](repeating: [], count: values.values.count)
        for day in days.indices {
            for (index, group) in days[day].scan.groups.enumerated() where matches[group.context] {
                parts[values.position[group.context]].append(Part(day: day, group: index))
            }
        }
        return parts
    }

    /// New are counted at the value of their first event.
    private static func addNew(
        to items: inout [Int: Item],
        _ question: ReportQuestion,
        _ days: ArraySlice<ResolvedDay>,
        _ matches: [Bool],
        _ values: ValueTable
    ) {
        var counts = [Int](repeating: 0, count: values.values.count)
        for day in days {
            for newcomer in day.newcomers(question.unit) {
                let context = Int(newcomer.context)
                if question.filter.isEmpty || matches[context] { counts[values.position[context]] += 1 }
            }
        }
        for (value, count) in counts.enumerated() where count > 0 {
            items[value, default: Item(value: values.values[value])].counts.new = count
        }
    }
}

/// The distinct values of a dimension, and which of them each context has.
private struct ValueTable: Sendable {
    private(set) var values: [String?] = []
    private(set) var position: [Int] = []

    init(_ dimension: ReportDimension, _ contexts: ContextTable) {
        var positions: [String?: Int] = [:]
        for context in contexts.contexts {
            let value = context[dimension]
            let known = positions[value] ?? values.count
            if known == values.count {
                positions[value] = known
                values.append(value)
            }
            position.append(known)
        }
    }
}
