import Dispatch
import Glibc
import Synchronization

/// Spreads pure work over the machine's cores.
enum Parallel {
    static let width = max(1, min(16, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// One value for each element, in their order.
    static func map<Element: Sendable, Value: Sendable>(
        _ elements: [Element],
        _ body: @Sendable (Element) -> Value
    ) -> [Value] {
        guard elements.count > 1, width > 1 else { return elements.map(body) }
        let results = Mutex([Value?](repeating: nil, count: elements.count))
        DispatchQueue.concurrentPerform(iterations: elements.count) { index in
            let value = body(elements[index])
            results.withLock { $0[index] = value }
        }
        return results.withLock { $0.compactMap(\.self) }
    }

    /// A slice cut into about as many pieces as there are cores.
    static func pieces<Element>(_ elements: ArraySlice<Element>) -> [ArraySlice<Element>] {
        guard !elements.isEmpty else { return [] }
        let size = (elements.count + width - 1) / width
        return stride(from: elements.startIndex, to: elements.endIndex, by: size).map {
            elements[$0..<min($0 + size, elements.endIndex)]
        }
    }
}
