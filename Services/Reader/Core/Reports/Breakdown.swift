/// The figures of a span for each value of one dimension.
enum Breakdown {
    struct Item: Sendable, Equatable {
        /// Nil for sessions and people without a value.
        var value: String?
        var active = 0
        var new = 0
        var sums = SessionSums()
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
        let limit = data.people.subjectLimit(question.unit)
        // Every worker takes each so-many-th value and clears one set in between.
        let lanes = Parallel.map(Array(0..<Parallel.width)) { lane in
            var set = NumberSet(limit: limit)
            var items: [Int: Item] = [:]
            for value in stride(from: lane, to: parts.count, by: Parallel.width) where !parts[value].isEmpty {
                set.removeAll()
                var item = Item(value: values.values[value])
                for part in parts[value] {
                    let group = days[part.day].scan.groups[part.group]
                    set.insert(days[part.day].subjects(question.unit), group.entries)
                    item.sums.add(group)
                }
                item.active = set.count
                items[value] = item
            }
            return items
        }
        var items = lanes.reduce(into: [Int: Item]()) { all, lane in all.merge(lane) { first, _ in first } }
        addNew(to: &items, data, question, days, matches, values)
        return items.values.filter { $0.active > 0 || $0.sums.sessions > 0 || $0.new > 0 }
            .sorted {
                ($1.active, $1.sums.sessions, $0.value ?? "") < ($0.active, $0.sums.sessions, $1.value ?? "")
            }
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
        _ data: ReportData,
        _ question: ReportQuestion,
        _ days: ArraySlice<ResolvedDay>,
        _ matches: [Bool],
        _ values: ValueTable
    ) {
        var newcomers = Newcomers(data, question.unit, buckets: [days])
        newcomers.take(0, of: days) { first in
            let context = data.contexts.position(of: first.context)
            guard question.filter.isEmpty || matches[context] else { return }
            let value = values.position[context]
            items[value, default: Item(value: values.values[value])].new += 1
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
