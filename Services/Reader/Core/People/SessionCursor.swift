import Contracts
import Crypto

/// Where a page of sessions ended: exactly as finely as sessions are ordered, so that equal times lose and repeat nothing.
struct SessionPosition: Sendable, Equatable {
    /// Microseconds since 1970, as stored.
    var us: Int64
    /// Of the session's start.
    var insertID: UUID128
}

/// A position as the client carries it: opaque, and good for the person it was made for only.
///
/// The checksum is over the app, environment, person and position. It is no secret and need not be: a made-up cursor leads nowhere its
/// maker could not look anyway. It is there to tell a cut, edited or misplaced cursor from a good one.
struct SessionCursor {
    private static let version: UInt8 = 1
    private static let checksumBytes = 12
    private static let positionBytes = 24
    private static let key = HMACSHA256(key: Array("session cursor 1".utf8))

    private let scope: [UInt8]

    init(app: UUID128, _ environment: AppEnvironment, _ person: PersonKey) {
        scope =
            app.bigEndianBytes + [UInt8(truncatingIfNeeded: environment.code)]
            + Array(person.description.utf8)
    }

    func encode(_ position: SessionPosition) -> String {
        var bytes = [Self.version]
        bytes += UInt64(bitPattern: position.us).bigEndianBytes
        bytes += position.insertID.bigEndianBytes
        return Base64.url.encode(bytes + checksum(bytes))
    }

    /// Nil for anything `encode` would not have written for this person.
    func decode(_ text: String) -> SessionPosition? {
        guard text.utf8.count < 100, let all = Base64.url.decode(text),
            all.count == 1 + Self.positionBytes + Self.checksumBytes
        else { return nil }
        let bytes = Array(all.prefix(1 + Self.positionBytes))
        guard bytes[0] == Self.version,
            ConstantTime.areEqual(checksum(bytes), Array(all.suffix(Self.checksumBytes)))
        else { return nil }
        return SessionPosition(
            us: Int64(bitPattern: UInt64(bigEndianBytes: bytes[1..<9])),
            insertID: UUID128(
                high: UInt64(bigEndianBytes: bytes[9..<17]),
                low: UInt64(bigEndianBytes: bytes[17..<25])
            )
        )
    }

    private func checksum(_ position: [UInt8]) -> [UInt8] {
        Array(Self.key.code(for: position + scope).prefix(Self.checksumBytes))
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) }
    }

    fileprivate init(bigEndianBytes bytes: ArraySlice<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UUID128 {
    fileprivate var bigEndianBytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}
