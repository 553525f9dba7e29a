import Postgres

/// The worlds in memory, within a bound of bytes together.
///
/// The bound is kept between requests: one whose days alone exceed it is still answered, and then let go.
actor WorldCache {
    private struct Entry {
        let world: World
        var bytes = 0
        var lastUse: UInt64 = 0
    }

    private let bytesMax: Int
    private let limits: WorldLimits
    private var entries: [WorldKey: Entry] = [:]
    private var useCount: UInt64 = 0

    init(bytesMax: Int, limits: WorldLimits = WorldLimits()) {
        self.bytesMax = bytesMax
        self.limits = limits
    }

    /// The state of some spans of days, as of now.
    ///
    /// Not to be called by whoever holds a connection of the pool.
    func snapshot(_ key: WorldKey, _ request: SnapshotRequest, _ pool: PostgresPool) async throws
        -> ReportSnapshot
    {
        let world = world(key)
        let snapshot = try await world.snapshot(request, pool)
        await note(key, world)
        return snapshot
    }

    private func world(_ key: WorldKey) -> World {
        useCount += 1
        var entry = entries[key] ?? Entry(world: World(key, limits: limits))
        entry.lastUse = useCount
        entries[key] = entry
        return entry.world
    }

    private func note(_ key: WorldKey, _ world: World) async {
        let bytes = await world.bytes
        // Another request may have dropped it meanwhile.
        guard entries[key]?.world === world else { return }
        entries[key]?.bytes = bytes
        var total = totalBytes
        for (other, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard total > bytesMax, other != key else { continue }
            total -= entry.bytes
            entries[other] = nil
        }
        guard total > bytesMax else { return }
        await world.trim(toBytes: bytesMax)
        entries[key]?.bytes = await world.bytes
    }

    /// Bytes of memory all worlds take, about.
    var totalBytes: Int { entries.values.reduce(0) { $0 + $1.bytes } }
    var worldCount: Int { entries.count }
}
