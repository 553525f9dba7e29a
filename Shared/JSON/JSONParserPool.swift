import Synchronization

/// Lends parsers to threads that come and go, so that each document finds memory that has already grown.
///
/// `@unchecked Sendable`: a parser is taken out of the list under the lock and put back under it, so no two threads ever hold the same one.
public final class JSONParserPool: @unchecked Sendable {
    /// More are made when more are wanted at once, and let go afterwards.
    private static let keptMax = 64
    private let lock = Mutex(())
    private var idle: [JSONParser] = []
    private let depthMax: Int
    private let bytesMax: Int

    public init(depthMax: Int = 64, bytesMax: Int = 64 << 20) {
        self.depthMax = depthMax
        self.bytesMax = bytesMax
    }

    public func withParser<Result>(_ body: (JSONParser) throws -> Result) rethrows -> Result {
        let parser = take()
        defer { giveBack(parser) }
        return try body(parser)
    }

    private func take() -> JSONParser {
        let kept = lock.withLock { _ in Kept(parser: idle.popLast()) }
        return kept.parser ?? JSONParser(depthMax: depthMax, bytesMax: bytesMax)
    }

    private func giveBack(_ parser: JSONParser) {
        let kept = Kept(parser: parser)
        lock.withLock { _ in
            if idle.count < Self.keptMax, let parser = kept.parser { idle.append(parser) }
        }
    }

    /// `@unchecked Sendable`: carries a parser over the lock's border, with no other reference to it.
    private struct Kept: @unchecked Sendable {
        let parser: JSONParser?
    }
}
