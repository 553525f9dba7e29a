/// The answers of reports that may hold days of which only totals are kept: any figure may be null, and a marker says so.
struct FrozenCoverage: Decodable, Equatable {
    var totalsOnlyBefore: String
}

struct FrozenFigures: Decodable {
    var active: Int?
    var new: Int?
    var sessions: Int?
    var avgDurationMs: Int?
    var medianDurationMs: Int?

    var known: KnownFigures {
        KnownFigures(
            active: active,
            new: new,
            sessions: sessions,
            averageDurationMs: avgDurationMs,
            medianDurationMs: medianDurationMs
        )
    }
}

struct FrozenSummary: Decodable {
    var figures: FrozenFigures
    var compare: FrozenFigures
    var coverage: FrozenCoverage?

    private enum CodingKeys: String, CodingKey { case compare, coverage }

    init(from decoder: any Decoder) throws {
        figures = try FrozenFigures(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        compare = try container.decode(FrozenFigures.self, forKey: .compare)
        coverage = try container.decodeIfPresent(FrozenCoverage.self, forKey: .coverage)
    }
}

struct FrozenRolling: Decodable {
    struct Point: Decodable {
        var ts: String
        var dau: Int?
        var wau: Int?
        var mau: Int?
    }

    var points: [Point]
    var coverage: FrozenCoverage?
}

struct FrozenSeries: Decodable {
    struct Split: Decodable {
        var platform: String
        var points: [SeriesAnswer.Point]
    }

    var points: [SeriesAnswer.Point]
    var splits: [Split]?
    var coverage: FrozenCoverage?
}

struct FrozenBreakdown: Decodable {
    struct Item: Decodable {
        var value: String?
        var share: Double?
        var figures: FrozenFigures

        private enum CodingKeys: String, CodingKey { case value, share }

        init(from decoder: any Decoder) throws {
            figures = try FrozenFigures(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            value = try container.decodeIfPresent(String.self, forKey: .value)
            share = try container.decodeIfPresent(Double.self, forKey: .share)
        }
    }

    var items: [Item]
    var total: FrozenFigures
    var coverage: FrozenCoverage?
}

struct FrozenRetention: Decodable {
    struct Cohort: Decodable {
        var from: String
        var to: String
        var size: Int?
        var returned: [Int?]
    }

    var cohorts: [Cohort]
    var coverage: FrozenCoverage?
}
