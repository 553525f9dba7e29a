import Crypto

/// The bytes of a day block, as stored in `closed_days.block`.
///
/// ```
/// "FD" · version (1) · first 8 bytes of SHA-256 over the rest
/// varint groups · per group: varint context − previous context, varint rows
/// then column by column, one value per row:
///   install   zigzag varint of the difference to the row before (0 at the start of a group)
///   user      varint
///   fromMs    varint
///   spanMs    varint
///   duration  varint of duration + 1; 0 means none
///   isSession one bit, least significant first
/// ```
/// Decoding checks every bound and the digest: damaged bytes are an error, never a trap and never other numbers.
public enum DayBlockCodec {
    public static let version: UInt8 = 1
    private static let magic: [UInt8] = [UInt8(ascii: "F"), UInt8(ascii: "D")]
    private static let headerBytes = 3 + digestBytes
    private static let digestBytes = 8
    /// A day never has more rows than this; a larger count is damage.
    static let rowsMax = 1 << 28

    public static func encode(_ block: DayBlock) -> [UInt8] {
        var body = ByteWriter()
        body.varint(UInt64(block.groups.count))
        var previous: Int32 = 0
        for group in block.groups {
            body.varint(UInt64(UInt32(bitPattern: group.context &- previous)))
            body.varint(UInt64(group.rows.count))
            previous = group.context
        }
        for group in block.groups {
            var previous: Int32 = 0
            for index in group.rows {
                body.zigzag(Int64(block.install[index]) - Int64(previous))
                previous = block.install[index]
            }
        }
        for value in block.user { body.varint(UInt64(UInt32(bitPattern: value))) }
        for value in block.fromMs { body.varint(UInt64(UInt32(bitPattern: value))) }
        for value in block.spanMs { body.varint(UInt64(UInt32(bitPattern: value))) }
        for value in block.durationMs { body.varint(UInt64(UInt32(bitPattern: value &+ 1))) }
        body.bits(block.isSession)
        return magic + [version] + SHA256.hash(body.bytes).prefix(digestBytes) + body.bytes
    }

    /// What a reader of blocks wants of them.
    public enum Columns: Sendable {
        case all
        /// Leaves `fromMs` and `spanMs` empty.
        case withoutTimes
    }

    public static func decode(
        _ bytes: [UInt8],
        _ columns: Columns = .all
    ) throws(DayBlockError) -> DayBlock {
        try bytes.withUnsafeBufferPointer { bytes throws(DayBlockError) in try decode(bytes, columns) }
    }

    public static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ columns: Columns = .all
    ) throws(DayBlockError) -> DayBlock {
        guard bytes.count >= headerBytes, bytes.starts(with: magic) else { throw .notABlock }
        guard bytes[2] == version else { throw .unknownVersion(bytes[2]) }
        let body = UnsafeBufferPointer(rebasing: bytes[headerBytes...])
        let digest = SHA256.hash(UnsafeRawBufferPointer(body)).prefix(digestBytes)
        guard bytes[3..<headerBytes].elementsEqual(digest) else { throw .damaged }
        var reader = ByteReader(body)
        var block = DayBlock()
        let count = try readGroups(&reader, into: &block)
        block.install = try readInstalls(&reader, groups: block.groups, count: count)
        block.user = try readColumn(&reader, count: count)
        switch columns {
        case .all:
            block.fromMs = try readColumn(&reader, count: count)
            block.spanMs = try readColumn(&reader, count: count)
        case .withoutTimes: try reader.skip(count: 2 * count)
        }
        block.durationMs = try reader.column(count: count) { reader throws(DayBlockError) in
            try reader.int32() &- 1
        }
        block.isSession = try reader.bits(count: count)
        guard reader.isAtEnd else { throw .damaged }
        return block
    }

    private static func readGroups(
        _ reader: inout ByteReader,
        into block: inout DayBlock
    ) throws(DayBlockError) -> Int {
        let groups = try reader.count(max: rowsMax)
        var rows = 0
        var context: Int32 = 0
        for _ in 0..<groups {
            context = context &+ (try reader.int32())
            let size = try reader.count(max: rowsMax)
            block.groups.append(DayBlock.Group(context: context, rows: rows..<(rows + size)))
            rows += size
            // Each row takes at least five bytes of columns, so a count beyond the bytes that are left is damage.
            guard rows <= reader.remaining else { throw .damaged }
        }
        return rows
    }

    private static func readInstalls(
        _ reader: inout ByteReader,
        groups: [DayBlock.Group],
        count: Int
    ) throws(DayBlockError) -> [Int32] {
        var group = 0
        var row = 0
        var previous: Int64 = 0
        return try reader.column(count: count) { reader throws(DayBlockError) in
            // A group may have no rows.
            while groups[group].rows.upperBound <= row {
                group += 1
                previous = 0
            }
            row += 1
            previous = previous &+ (try reader.zigzag())
            guard let value = Int32(exactly: previous) else { throw .damaged }
            return value
        }
    }

    private static func readColumn(
        _ reader: inout ByteReader,
        count: Int
    ) throws(DayBlockError) -> [Int32] {
        try reader.column(count: count) { reader throws(DayBlockError) in try reader.int32() }
    }
}

/// Why bytes are not a day block this version can read.
public enum DayBlockError: Error, Sendable, Equatable {
    case notABlock
    case unknownVersion(UInt8)
    case damaged
}
