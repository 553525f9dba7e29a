import Crypto
import Wire

/// Day blocks, as they are and with the digest put right, so that what lies behind it is reached too.
enum DayBlockTarget {
    private static let digest = 3..<11

    static func run(_ bytes: [UInt8]) throws {
        try check(bytes)
        guard bytes.count >= digest.upperBound else { return }
        var sealed = bytes
        sealed.replaceSubrange(digest, with: SHA256.hash(Array(bytes[digest.upperBound...])).prefix(8))
        try check(sealed)
    }

    private static func check(_ bytes: [UInt8]) throws {
        guard let block = try? DayBlockCodec.decode(bytes) else { return }
        try expect(block.rows.count == block.count, "the groups do not cover the rows")
        let again = try? DayBlockCodec.decode(DayBlockCodec.encode(block))
        try expect(again == block, "a block changes when it is written and read again")
    }
}
