import Testing

@testable import Postgres

@Suite struct StatementCacheTests {
    @Test func preparesATextThatComesAgain() {
        var cache = StatementCache(capacity: 2)
        #expect(cache.plan(for: "a") == .once)
        #expect(cache.plan(for: "a") == .prepare("fg1"))
        cache.prepared("a", as: "fg1")
        #expect(cache.plan(for: "a") == .reuse("fg1"))
    }

    @Test func forgetsTheLeastRecentlyUsed() {
        var cache = StatementCache(capacity: 2)
        for text in ["a", "b", "a", "b"] {
            if case .prepare(let name) = cache.plan(for: text) { cache.prepared(text, as: name) }
        }
        _ = cache.plan(for: "a")
        _ = cache.plan(for: "c")

        #expect(cache.orphans == ["fg2"])
        #expect(cache.plan(for: "a") == .reuse("fg1"))
    }

    @Test func capacityZeroPreparesNothing() {
        var cache = StatementCache(capacity: 0)
        _ = cache.plan(for: "a")
        #expect(cache.plan(for: "a") == .once)
    }

    @Test func longTextsAreNotKept() {
        var cache = StatementCache(capacity: 2)
        let text = String(repeating: "x", count: StatementCache.textBytesMax + 1)
        _ = cache.plan(for: text)
        #expect(cache.plan(for: text) == .once)
    }
}
