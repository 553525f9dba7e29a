/// The contexts of an app by position: dense, so that what a filter makes of them is an array.
///
/// Only ever grows; positions stay as long as the table does.
struct ContextTable: Sendable {
    private(set) var contexts: [ReportContext] = []
    private var positions: [Int32: Int] = [:]

    /// Position 0 is a context nobody knows any more: it matches no filter and has no values.
    static let unknown = 0

    init() {
        contexts.append(ReportContext(platform: ""))
    }

    init(_ contexts: [Int32: ReportContext]) {
        self.init()
        for (number, context) in contexts.sorted(by: { $0.key < $1.key }) { add(number, context) }
    }

    mutating func add(_ number: Int32, _ context: ReportContext) {
        guard positions[number] == nil else { return }
        positions[number] = contexts.count
        contexts.append(context)
    }

    func position(of number: Int32) -> Int { positions[number] ?? Self.unknown }
    func knows(_ number: Int32) -> Bool { positions[number] != nil }

    /// Which positions a filter lets through.
    func matches(_ filter: ReportFilter) -> [Bool] {
        if filter.isEmpty { return [Bool](repeating: true, count: contexts.count) }
        var matches = contexts.map(filter.matches)
        matches[Self.unknown] = false
        return matches
    }

    var bytes: Int { contexts.count * 400 }
}
