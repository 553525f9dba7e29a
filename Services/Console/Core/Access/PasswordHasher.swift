import Crypto
import Dispatch

/// Hashes passwords, a few at a time: each takes memory and a tenth of a second on purpose.
struct PasswordHasher: Sendable {
    private let queue = DispatchQueue(label: "passwords", attributes: .concurrent)
    private let slots = DispatchSemaphore(value: 2)
    /// What an unknown account's password is compared with, so that the answer takes as long.
    private let nobody = Scrypt.hash(password: Base62.random(20))

    func hash(_ password: String) async -> String {
        await run { Scrypt.hash(password: password) }
    }

    func verify(_ password: String, against hash: String?) async -> Bool {
        let nobody = nobody
        return await run { Scrypt.verify(password: password, against: hash ?? nobody) && hash != nil }
    }

    private func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        let slots = slots
        return await withCheckedContinuation { continuation in
            queue.async {
                slots.wait()
                let value = body()
                slots.signal()
                continuation.resume(returning: value)
            }
        }
    }
}
