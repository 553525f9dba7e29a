import ServiceKit

/// Batches of several installs over several days, with everything that makes counting hard.
struct World {
    private var make: EventMaker
    private let days = TestDays()
    let installs: [String]
    let users: [String]

    init(seed: UInt64, installs count: Int = 12) {
        var make = EventMaker(seed: seed)
        installs = (0..<count).map { _ in make.uuid() }
        users = (0..<count / 2).map { "acct-\(seed)-\($0)" }
        self.make = make
    }

    var range: (from: String, to: String) { (days.date(daysAgo: 6), days.date(daysAgo: -1)) }

    /// Sessions of one to five installs; sometimes signed in, repeated in the batch, in development, without an end, or spoilt.
    mutating func batch() -> TestBatch {
        var events: [TestEvent] = []
        for _ in 0..<Int.random(in: 1...5, using: &make.random) {
            let startMs =
                days.noon(daysAgo: Int.random(in: 1...5, using: &make.random))
                + Int64.random(in: -40_000_000...40_000_000, using: &make.random)
            var session = make.session(
                at: startMs,
                install: installs.randomElement(using: &make.random),
                user: Bool.random(using: &make.random) ? users.randomElement(using: &make.random) : nil,
                durationMs: Int64.random(in: 0...7_200_000, using: &make.random)
            )
            switch Int.random(in: 0..<10, using: &make.random) {
            case 0: session.removeLast()
            case 1: session.removeFirst()
            case 2: session.append(session[0])
            case 3: session[1].durationMs = nil
            case 4: session[0].timeMs -= 30 * 86_400_000
            case 5: for index in session.indices { session[index].context = ["environment": "development"] }
            default: break
            }
            events += session
        }
        return TestBatch(events: events.shuffled(using: &make.random))
    }

    mutating func batches(_ count: Int) -> [TestBatch] { (0..<count).map { _ in batch() } }
}
