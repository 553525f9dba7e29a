import Synchronization

/// Bytes that all bodies of a server may hold together.
///
/// What has arrived counts, not what was announced: otherwise a few clients that announce much and send nothing would keep everybody out.
final class BodyBudget: Sendable {
    private let taken = Atomic(0)
    private let bytesMax: Int

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    var bytes: Int { taken.load(ordering: .relaxed) }

    func hasRoom(for count: Int) -> Bool { count <= bytesMax - bytes }

    /// Takes all or nothing.
    func take(_ count: Int) -> Bool {
        guard taken.add(count, ordering: .relaxed).newValue > bytesMax else { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) {
        taken.subtract(count, ordering: .relaxed)
    }
}
