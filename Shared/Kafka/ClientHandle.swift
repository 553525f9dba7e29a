import CRDKafka
import Synchronization

/// Owns a `rd_kafka_t`, and keeps alive what its callbacks point to.
///
/// `@unchecked Sendable`: librdkafka documents its client handle as safe to use from any thread,
/// `pointer` never changes, and whether it was destroyed is one atomic flag.
final class ClientHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Released after `deinit`'s body, hence after the last callback.
    private let context: any AnyObject & Sendable
    private let isDestroyed = Atomic(false)

    init(_ pointer: OpaquePointer, context: any AnyObject & Sendable) {
        self.pointer = pointer
        self.context = context
    }

    deinit { destroy() }

    /// Stops librdkafka's threads and waits for them; the owner sees to it that nobody uses `pointer` after.
    ///
    /// Never call it from a callback of the same client: it would wait for itself.
    func destroy() {
        guard !isDestroyed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        rd_kafka_destroy(pointer)
    }
}
