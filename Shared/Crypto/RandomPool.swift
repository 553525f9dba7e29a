/// Random bytes fetched in bulk, since each call of the generator costs about a microsecond.
///
/// Not thread-safe: its owner holds a lock. Bytes are handed out once and then overwritten.
struct RandomPool: ~Copyable {
    private static let poolBytes = 4096
    private var bytes = [UInt8](repeating: 0, count: Self.poolBytes)
    private var used = Self.poolBytes

    mutating func next<Value: FixedWidthInteger>(_: Value.Type) -> Value {
        let size = MemoryLayout<Value>.size
        if used + size > bytes.count {
            bytes.withUnsafeMutableBytes { SecureRandom.fill($0) }
            used = 0
        }
        defer { used += size }
        return bytes.withUnsafeMutableBytes { raw in
            let value = raw.loadUnaligned(fromByteOffset: used, as: Value.self)
            raw.storeBytes(of: 0, toByteOffset: used, as: Value.self)
            return value
        }
    }
}
