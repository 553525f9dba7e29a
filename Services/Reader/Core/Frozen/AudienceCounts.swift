/// Figures of which some may not be known: nil is what cannot be told any more, never a guess.
struct AudienceCounts: Sendable, Equatable {
    /// Distinct subjects.
    var active: Int? = 0
    var new: Int? = 0
    var sums: SessionSums? = SessionSums()

    /// Joins days of which only totals are kept to what is known from blocks.
    ///
    /// Newcomers and sessions are each counted on one day, so they add up. Distinct subjects of two days do not: nobody knows how many came
    /// on both. They stay exact as long as all of them came on one day.
    mutating func add(frozen days: [AudienceCounts]) {
        let busy = days.filter { $0.active != 0 }
        if let only = busy.first { active = busy.count == 1 && active == 0 ? only.active : nil }
        for day in days {
            new = Self.sum(new, day.new)
            sums = Self.sum(sums, day.sums)
        }
    }

    static func sum(_ left: Int?, _ right: Int?) -> Int? {
        guard let left, let right else { return nil }
        return left + right
    }

    private static func sum(_ left: SessionSums?, _ right: SessionSums?) -> SessionSums? {
        guard var sum = left, let right else { return nil }
        sum.add(right)
        return sum
    }

    /// Whether nothing is known to have happened: no figure is unknown or above zero.
    var isNothing: Bool { active == 0 && new == 0 && sums?.sessions == 0 }
}
