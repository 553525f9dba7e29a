/// Writes one JSON text, bytes first, and places commas and colons itself.
///
/// The caller keeps the grammar: a key before each member's value, an end for each beginning. Only what RFC
/// 8259 demands is escaped; everything else is written as it is.
public struct JSONWriter: Sendable {
    private var buffer: ByteBuffer
    /// Whether the next value or key follows another one in the same object or array.
    private var needsComma = false

    public init(reservingBytes count: Int = 0) {
        buffer = ByteBuffer(reservingBytes: count)
    }

    /// A copy of what is written so far.
    public var bytes: [UInt8] { withBytes { Array($0) } }
    public var count: Int { buffer.count }

    /// Lends what is written so far without a copy.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withBytes(body)
    }

    /// Starts another text in the same memory.
    public mutating func removeAll() {
        buffer.count = 0
        needsComma = false
    }

    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes a name that is known to need no escape.
    public mutating func key(_ name: StaticString) {
        let comma = needsComma
        needsComma = false
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        buffer.append(bytesMax: name.count + 4) { output in
            output.put(UInt8(ascii: ","), if: comma)
            output.put(UInt8(ascii: "\""))
            output.put(name)
            output.put(UInt8(ascii: "\""))
            output.put(UInt8(ascii: ":"))
        }
    }

    /// Writes a name that comes from data.
    ///
    /// Disfavoured, because a literal would otherwise become a `String` and take the slower way.
    @_disfavoredOverload
    public mutating func key(_ name: String) {
        string(name)
        buffer.append(bytesMax: 1) { $0.put(UInt8(ascii: ":")) }
        needsComma = false
    }

    @_disfavoredOverload
    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(utf8: $0) }
    }

    public mutating func string(_ value: StaticString) {
        string(utf8: UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    }

    /// Writes a string given as UTF-8; what is no UTF-8 is copied as it is.
    public mutating func string(utf8: UnsafeBufferPointer<UInt8>) {
        let comma = separator()
        let source = UnsafeRawBufferPointer(utf8)
        let plainCount = JSONEscape.firstIndex(in: source, from: 0)
        // Most strings need no escape; the others may become six times as long.
        let rest = UnsafeRawBufferPointer(rebasing: source[plainCount...])
        buffer.append(bytesMax: plainCount + rest.count * 6 + 3) { output in
            output.put(UInt8(ascii: ","), if: comma)
            output.put(UInt8(ascii: "\""))
            output.put(UnsafeRawBufferPointer(rebasing: source[..<plainCount]))
            if !rest.isEmpty { JSONEscape.put(rest, to: &output) }
            output.put(UInt8(ascii: "\""))
        }
    }

    public mutating func int64(_ value: Int64) {
        let comma = separator()
        buffer.append(bytesMax: 21) { output in
            output.put(UInt8(ascii: ","), if: comma)
            output.putDecimal(value)
        }
    }

    public mutating func int(_ value: Int) { int64(Int64(value)) }

    /// Writes the shortest decimal that reads back as `value`, never with an exponent; no number as `null`.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        if let whole = Int64(exactly: value), whole.magnitude <= 1 << 53 { return int64(whole) }
        raw(FixedPoint.digits(of: value))
    }

    public mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    public mutating func null() { raw("null") }

    /// Writes a whole JSON value made elsewhere.
    public mutating func raw(_ json: UnsafeRawBufferPointer) {
        let comma = separator()
        buffer.append(bytesMax: json.count + 1) { output in
            output.put(UInt8(ascii: ","), if: comma)
            output.put(json)
        }
    }

    public mutating func raw(_ json: [UInt8]) {
        json.withUnsafeBytes { raw($0) }
    }

    private mutating func raw(_ json: StaticString) {
        raw(UnsafeRawBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    /// Whether a comma comes before the value that is about to be written.
    private mutating func separator() -> Bool {
        let comma = needsComma
        needsComma = true
        return comma
    }

    private mutating func begin(_ bracket: UInt8) {
        let comma = separator()
        buffer.append(bytesMax: 2) { output in
            output.put(UInt8(ascii: ","), if: comma)
            output.put(bracket)
        }
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        buffer.append(bytesMax: 1) { $0.put(bracket) }
        needsComma = true
    }
}
