import JSON

/// Writes one table as CSV (RFC 4180): UTF-8, commas, records that end in CRLF, the first one the names of the columns.
///
/// Spreadsheets run a cell that looks like a formula, and cells hold what clients sent; so text that begins like one gets an
/// apostrophe in front, which spreadsheets show nothing of. Numbers are written as numbers, negative ones included.
/// Nothing and the empty text are the same empty cell.
public struct CSVWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var isRecordEmpty = true
    /// Spells numbers as they are spelled in JSON.
    private var number = JSONWriter(reservingBytes: 32)

    public init(reservingBytes count: Int = 0) {
        bytes.reserveCapacity(count)
    }

    /// Writes the names of the columns and ends the record.
    public mutating func header(_ names: [String]) {
        for name in names { text(name) }
        endRecord()
    }

    /// Writes text of any origin into the next cell.
    public mutating func text(_ value: String?) {
        beginCell()
        guard var value, !value.isEmpty else { return }
        value.withUTF8 { append(text: $0) }
    }

    public mutating func int64(_ value: Int64?) {
        beginCell()
        guard let value else { return }
        number.removeAll()
        number.int64(value)
        number.withBytes { bytes.append(contentsOf: $0) }
    }

    public mutating func int(_ value: Int?) { int64(value.map(Int64.init)) }

    /// Writes the shortest decimal that reads back as the value, never with an exponent; nothing for what is no number.
    public mutating func double(_ value: Double?) {
        beginCell()
        guard let value, value.isFinite else { return }
        number.removeAll()
        number.double(value)
        number.withBytes { bytes.append(contentsOf: $0) }
    }

    public mutating func bool(_ value: Bool) {
        beginCell()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Leaves the next cells empty.
    public mutating func skip(_ count: Int = 1) {
        for _ in 0..<count { beginCell() }
    }

    public mutating func endRecord() {
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
        isRecordEmpty = true
    }

    private mutating func beginCell() {
        if !isRecordEmpty { bytes.append(UInt8(ascii: ",")) }
        isRecordEmpty = false
    }

    private mutating func append(text: UnsafeBufferPointer<UInt8>) {
        let quote = UInt8(ascii: "\"")
        let needsQuotes = text.contains { Self.isSpecial($0) }
        if needsQuotes { bytes.append(quote) }
        if Self.looksLikeFormula(text) { bytes.append(UInt8(ascii: "'")) }
        if needsQuotes {
            for byte in text {
                if byte == quote { bytes.append(quote) }
                bytes.append(byte)
            }
            bytes.append(quote)
        } else {
            bytes.append(contentsOf: text)
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    /// Also with the wide forms of East Asian keyboards (U+FF0B, U+FF0D, U+FF1D, U+FF20), which some spreadsheets read alike.
    private static func looksLikeFormula(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch text[0] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): true
        case UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        case 0xEF where text.count >= 3 && text[1] == 0xBC: [0x8B, 0x8D, 0x9D, 0xA0].contains(text[2])
        default: false
        }
    }
}
