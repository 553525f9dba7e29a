/// The answers of the reports, as a script would read them.
struct SplitSeriesAnswer: Decodable {
    struct Split: Decodable {
        var platform: String
        var points: [SeriesAnswer.Point]
    }

    var points: [SeriesAnswer.Point]
    var splits: [Split]
}

struct RollingAnswer: Decodable {
    struct Point: Decodable, Equatable {
        var ts: String
        var dau: Int
        var wau: Int
        var mau: Int
    }

    var points: [Point]
}

struct BreakdownAnswer: Decodable {
    struct Figures: Decodable, Equatable {
        var active: Int
        var new: Int
        var sessions: Int
        var avgDurationMs: Int?
    }

    struct Item: Decodable {
        var value: String?
        var active: Int
        var new: Int
        var sessions: Int
        var avgDurationMs: Int?
        var share: Double?
        var compare: Compared?

        var figures: Figures {
            Figures(active: active, new: new, sessions: sessions, avgDurationMs: avgDurationMs)
        }
    }

    struct Compared: Decodable {
        var active: Int
        var new: Int
        var sessions: Int
        var avgDurationMs: Int?

        var figures: Figures {
            Figures(active: active, new: new, sessions: sessions, avgDurationMs: avgDurationMs)
        }
    }

    struct Period: Decodable {
        var from: String
        var to: String
        var total: Figures
    }

    var items: [Item]
    var total: Figures
    var compare: Period?
}

struct RetentionAnswer: Decodable {
    struct Cohort: Decodable {
        var from: String
        var to: String
        var size: Int
        var retention: [Double?]
        var returned: [Int?]
    }

    var cohorts: [Cohort]
    var average: [Double?]
}
