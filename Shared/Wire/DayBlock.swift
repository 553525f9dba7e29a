/// A closed day as columns of whole numbers: what reports scan.
///
/// One row per session that started on the day, and one per other activity (a session that reaches into the day, an end without its
/// start). It holds no text and no identifier of anybody: installs, users and contexts are numbers that mean nothing without the tables.
public struct DayBlock: Sendable, Equatable {
    public struct Row: Sendable, Equatable {
        public var context: Int32
        public var install: Int32
        /// 0 for an anonymous row.
        public var user: Int32
        /// Milliseconds after the day's first instant.
        public var fromMs: Int32
        /// Until the last instant of activity within the day.
        public var spanMs: Int32
        /// -1 without an end, and on rows that are not sessions of this day.
        public var durationMs: Int32
        public var isSession: Bool

        public init(
            context: Int32,
            install: Int32,
            user: Int32,
            fromMs: Int32,
            spanMs: Int32,
            durationMs: Int32,
            isSession: Bool
        ) {
            self.context = context
            self.install = install
            self.user = user
            self.fromMs = fromMs
            self.spanMs = spanMs
            self.durationMs = durationMs
            self.isSession = isSession
        }
    }

    /// A run of rows that share a context.
    public struct Group: Sendable, Equatable {
        public var context: Int32
        public var rows: Range<Int>
    }

    public internal(set) var groups: [Group] = []
    public internal(set) var install: [Int32] = []
    public internal(set) var user: [Int32] = []
    public internal(set) var fromMs: [Int32] = []
    public internal(set) var spanMs: [Int32] = []
    public internal(set) var durationMs: [Int32] = []
    public internal(set) var isSession: [Bool] = []

    public var count: Int { install.count }

    init() {}

    /// Sorts the rows, so that equal facts give equal bytes whatever order they were met in.
    public init(rows: [Row]) {
        let sorted = rows.sorted { $0.order < $1.order }
        for row in sorted {
            if groups.last?.context == row.context {
                groups[groups.count - 1].rows = groups[groups.count - 1].rows.lowerBound..<(count + 1)
            } else {
                groups.append(Group(context: row.context, rows: count..<(count + 1)))
            }
            install.append(row.install)
            user.append(row.user)
            fromMs.append(row.fromMs)
            spanMs.append(row.spanMs)
            durationMs.append(row.durationMs)
            isSession.append(row.isSession)
        }
    }

    public var rows: [Row] {
        groups.flatMap { group in
            group.rows.map { index in
                Row(
                    context: group.context,
                    install: install[index],
                    user: user[index],
                    fromMs: fromMs[index],
                    spanMs: spanMs[index],
                    durationMs: durationMs[index],
                    isSession: isSession[index]
                )
            }
        }
    }
}

extension DayBlock.Row {
    /// Two keys of 128 bits compare faster than six fields.
    fileprivate var order: (UInt64, UInt64, UInt64, UInt8) {
        (
            UInt64(UInt32(bitPattern: context)) << 32 | UInt64(UInt32(bitPattern: install)),
            UInt64(UInt32(bitPattern: user)) << 32 | UInt64(UInt32(bitPattern: fromMs)),
            UInt64(UInt32(bitPattern: spanMs)) << 32 | UInt64(UInt32(bitPattern: durationMs)),
            isSession ? 1 : 0
        )
    }
}
