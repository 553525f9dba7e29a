/// One value of a document, valid only inside the closure that lent the document.
///
/// It points into simdjson's tape, so walking a document is plain Swift without a call into C. Ask for what
/// the value should be (`int64`, `string`, `bool`): every question has an answer, nil when it is something
/// else.
public struct JSONValue {
    public enum Kind: Sendable {
        case object, array, string, int, uint, double, bool, null
    }

    @usableFromInline let tape: UnsafePointer<UInt64>
    @usableFromInline let strings: UnsafePointer<UInt8>
    @usableFromInline let index: Int

    @inline(__always) @inlinable
    init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
        self.tape = tape
        self.strings = strings
        self.index = index
    }

    @inline(__always) @inlinable
    var word: UInt64 { tape[index] }

    /// The character that simdjson puts in the top byte of a word.
    @inline(__always) @inlinable
    var tag: UInt8 { UInt8(truncatingIfNeeded: word >> 56) }

    @inlinable public var kind: Kind {
        switch tag {
        case Tag.object: .object
        case Tag.array: .array
        case Tag.string: .string
        case Tag.int64: .int
        case Tag.uint64: .uint
        case Tag.double: .double
        case Tag.true, Tag.false: .bool
        default: .null
        }
    }

    @inlinable public var isObject: Bool { tag == Tag.object }
    @inlinable public var isArray: Bool { tag == Tag.array }
    @inlinable public var isString: Bool { tag == Tag.string }
    @inlinable public var isNull: Bool { tag == Tag.null }

    @inlinable public var bool: Bool? {
        switch tag {
        case Tag.true: true
        case Tag.false: false
        default: nil
        }
    }

    /// The whole number, however it was written: `1000`, `1000.0` and `1e3` are the same JSON number.
    ///
    /// Forms with a point or an exponent count up to ±2^53, where doubles stop being exact.
    @inlinable public var int64: Int64? {
        switch tag {
        case Tag.int64:
            return Int64(bitPattern: tape[index + 1])
        case Tag.double:
            let value = Double(bitPattern: tape[index + 1])
            guard value.magnitude <= 9_007_199_254_740_992 else { return nil }
            return Int64(exactly: value)
        default:
            return nil
        }
    }

    /// Any number of the document, rounded to the nearest double.
    @inlinable public var double: Double? {
        switch tag {
        case Tag.double: Double(bitPattern: tape[index + 1])
        case Tag.int64: Double(Int64(bitPattern: tape[index + 1]))
        case Tag.uint64: Double(tape[index + 1])
        default: nil
        }
    }

    /// The unescaped bytes of a string without copying them; empty when it is none.
    ///
    /// Always valid UTF-8. May hold U+0000.
    @inlinable public var utf8: UnsafeBufferPointer<UInt8> {
        @inline(__always) get {
            guard tag == Tag.string else { return UnsafeBufferPointer(start: nil, count: 0) }
            let start = strings + Int(word & 0x00FF_FFFF_FFFF_FFFF)
            let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
            return UnsafeBufferPointer(start: start + 4, count: Int(count))
        }
    }

    /// Lends the unescaped bytes of a string, or returns nil when it is none.
    @inlinable public func withUTF8<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard isString else { return nil }
        return try body(utf8)
    }

    @inlinable public var string: String? {
        isString ? String(decoding: utf8, as: UTF8.self) : nil
    }

    /// Index of the word after this value.
    @inline(__always) @inlinable
    var end: Int {
        switch tag {
        case Tag.object, Tag.array: Int(UInt32(truncatingIfNeeded: word))
        case Tag.int64, Tag.uint64, Tag.double: index + 2
        default: index + 1
        }
    }

    @usableFromInline enum Tag {
        @inlinable static var object: UInt8 { UInt8(ascii: "{") }
        @inlinable static var array: UInt8 { UInt8(ascii: "[") }
        @inlinable static var string: UInt8 { UInt8(ascii: "\"") }
        @inlinable static var int64: UInt8 { UInt8(ascii: "l") }
        @inlinable static var uint64: UInt8 { UInt8(ascii: "u") }
        @inlinable static var double: UInt8 { UInt8(ascii: "d") }
        @inlinable static var `true`: UInt8 { UInt8(ascii: "t") }
        @inlinable static var `false`: UInt8 { UInt8(ascii: "f") }
        @inlinable static var null: UInt8 { UInt8(ascii: "n") }
    }
}
