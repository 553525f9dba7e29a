import Crypto
import Dispatch
import Synchronization

/// Hashes passwords, a few at a time: each takes memory and a tenth of a second on purpose.
final class PasswordHasher: Sendable {
    private struct Load {
        var waiting = 0
        var next = 0
    }

    private let cost: Scrypt.Cost
    private let queues = (0..<2).map { DispatchQueue(label: "passwords.\($0)") }
    private let load = Mutex(Load())
    /// Beyond this many that wait their turn, further ones are refused: who comes later would have given up before.
    static let waitingMax = 64
    /// What an unknown account's password is compared with, so that the answer takes as long.
    private let nobody: String

    init(cost: Scrypt.Cost = Scrypt.Cost()) {
        self.cost = cost
        nobody = Scrypt.hash(password: Base62.random(20), cost: cost)
    }

    /// - Throws: `storage_unavailable` when too many wait.
    func hash(_ password: String) async throws -> String {
        let cost = cost
        return try await run { Scrypt.hash(password: password, cost: cost) }
    }

    /// False for nil, after as long as for a hash.
    func verify(_ password: String, against hash: String?) async throws -> Bool {
        let nobody = nobody
        return try await run { Scrypt.verify(password: password, against: hash ?? nobody) && hash != nil }
    }

    private func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
        let turn = load.withLock { load -> Int? in
            guard load.waiting < Self.waitingMax else { return nil }
            load.waiting += 1
            load.next = (load.next + 1) % queues.count
            return load.next
        }
        guard let turn else { throw ConsoleRefusal(.storageUnavailable, retryAfterSeconds: 5) }
        let value = await withCheckedContinuation { continuation in
            queues[turn].async { continuation.resume(returning: body()) }
        }
        load.withLock { $0.waiting -= 1 }
        return value
    }
}
