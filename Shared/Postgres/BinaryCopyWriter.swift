import CPostgres
import Glibc

/// Writes rows in Postgres' binary COPY format.
///
/// Each value must have exactly its column's type: `int32` for `integer`, `int64` for `bigint`, `text` for
/// text, JSON and enums, and so on. Values are gathered in 64 KiB and then handed to libpq, which copies
/// them.
///
/// Writing never throws, so that loops stay tight: the first problem (a NUL in a text, a row with too few
/// values, a lost connection) is kept, everything after it is ignored, and `copyIn` throws it. A long loop
/// may ask `check()` now and then.
public struct BinaryCopyWriter: ~Copyable {
    private static let bufferBytes = 64 * 1024

    private let link: Link
    /// Owned by this value, freed by `deinit`.
    private let buffer: UnsafeMutableRawPointer
    private var used = 0
    private var valuesMissing = 0
    private var failure: PostgresError?
    public private(set) var rowCount = 0

    init(link: Link) {
        self.link = link
        buffer = .allocate(byteCount: Self.bufferBytes, alignment: 16)
        let signature: [UInt8] = [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]
        signature.withUnsafeBytes { append($0) }
        put(UInt32(0))
        put(UInt32(0))
    }

    deinit { buffer.deallocate() }

    /// Throws the first problem so far.
    public func check() throws(PostgresError) {
        if let failure { throw failure }
    }

    /// Begins a row of `columns` values.
    public mutating func startRow(columns: Int) {
        closeRow()
        guard let count = Int16(exactly: columns), count > 0 else {
            fail(PostgresError(sqlState: "54011", message: "a row cannot have \(columns) columns"))
            return
        }
        put(UInt16(bitPattern: count))
        valuesMissing = columns
        rowCount += 1
    }

    public mutating func null() {
        valuesMissing -= 1
        put(UInt32.max)
    }

    public mutating func int16(_ value: Int16) {
        field(UInt16(bitPattern: value))
    }

    public mutating func int32(_ value: Int32) {
        field(UInt32(bitPattern: value))
    }

    public mutating func int64(_ value: Int64) {
        field(UInt64(bitPattern: value))
    }

    public mutating func bool(_ value: Bool) {
        field(value ? UInt8(1) : 0)
    }

    public mutating func double(_ value: Double) {
        field(value.bitPattern)
    }

    public mutating func uuid(high: UInt64, low: UInt64) {
        startField(bytes: 16)
        put(high)
        put(low)
    }

    /// A `timestamptz`.
    public mutating func timestamp(msSinceEpoch: Int64) {
        let (ms, tooEarly) = msSinceEpoch.subtractingReportingOverflow(PostgresEpoch.ms)
        let (micros, tooFar) = ms.multipliedReportingOverflow(by: 1_000)
        guard !tooEarly, !tooFar else {
            fail(PostgresError(sqlState: "22008", message: "the timestamp is out of range"))
            return
        }
        int64(micros)
    }

    public mutating func date(daysSinceEpoch: Int32) {
        let (days, overflow) = daysSinceEpoch.subtractingReportingOverflow(PostgresEpoch.days)
        guard !overflow else {
            fail(PostgresError(sqlState: "22008", message: "the date is out of range"))
            return
        }
        int32(days)
    }

    public mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { text(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Text that is UTF-8 already; the server refuses what is not.
    public mutating func text(bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil {
            fail(PostgresError.nulInText)
            return
        }
        self.bytes(bytes)
    }

    public mutating func text(bytes: [UInt8]) {
        bytes.withUnsafeBytes { text(bytes: $0) }
    }

    /// A `bytea`.
    public mutating func bytes(_ value: UnsafeRawBufferPointer) {
        guard let length = Int32(exactly: value.count) else {
            fail(PostgresError(sqlState: "54000", message: "a value of \(value.count) bytes is too large"))
            return
        }
        startField(bytes: length)
        append(value)
    }

    public mutating func bytes(_ value: [UInt8]) {
        value.withUnsafeBytes { bytes($0) }
    }

    /// Ends the last row and the stream.
    mutating func finish() {
        closeRow()
        put(UInt16.max)
        flush()
    }

    private mutating func closeRow() {
        guard valuesMissing != 0 else { return }
        let problem =
            valuesMissing > 0 ? "\(valuesMissing) values too few" : "\(-valuesMissing) values too many"
        fail(PostgresError(sqlState: "22P04", message: "row \(rowCount) has \(problem)"))
    }

    private mutating func startField(bytes: Int32) {
        valuesMissing -= 1
        put(UInt32(bitPattern: bytes))
    }

    private mutating func field<Number: FixedWidthInteger>(_ value: Number) {
        startField(bytes: Int32(MemoryLayout<Number>.size))
        put(value)
    }

    private mutating func put<Number: FixedWidthInteger>(_ value: Number) {
        let size = MemoryLayout<Number>.size
        if used + size > Self.bufferBytes { flush() }
        buffer.storeBytes(of: value.bigEndian, toByteOffset: used, as: Number.self)
        used += size
    }

    private mutating func append(_ source: UnsafeRawBufferPointer) {
        var rest = source
        while let start = rest.baseAddress, rest.count > 0 {
            if used == Self.bufferBytes { flush() }
            let count = min(rest.count, Self.bufferBytes - used)
            (buffer + used).copyMemory(from: start, byteCount: count)
            used += count
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    private mutating func fail(_ error: PostgresError) {
        failure = failure ?? error
    }

    /// Hands the buffer to libpq, which copies it; after a failure it is dropped.
    private mutating func flush() {
        defer { used = 0 }
        guard failure == nil, used > 0 else { return }
        do {
            guard PQputCopyData(link.pointer, buffer.assumingMemoryBound(to: CChar.self), Int32(used)) == 1
            else {
                throw link.failure()
            }
            try link.flush()
        } catch {
            fail(error as? PostgresError ?? link.failure())
        }
    }
}
