/// A value of which an array may be sent as one parameter.
///
/// It exists because Swift allows `Array` one conformance to `SQLValue`, and an array of bytes is a `bytea`
/// while an array of anything else is a Postgres array. A type that is an `SQLValue` needs no more than the
/// declaration of conformance.
public protocol SQLArrayElement {
    static func sqlArrayText(_ elements: [Self]) -> String
}

extension SQLArrayElement where Self: SQLValue {
    public static func sqlArrayText(_ elements: [Self]) -> String {
        ArrayLiteral.quoted(elements)
    }
}

extension String: SQLArrayElement {}
extension Bool: SQLArrayElement {}
extension Double: SQLArrayElement {}
extension Optional: SQLArrayElement where Wrapped: SQLValue & SQLArrayElement {}

extension Int: SQLArrayElement {
    public static func sqlArrayText(_ elements: [Int]) -> String { ArrayLiteral.bare(elements) }
}

extension Int64: SQLArrayElement {
    public static func sqlArrayText(_ elements: [Int64]) -> String { ArrayLiteral.bare(elements) }
}

extension Int32: SQLArrayElement {
    public static func sqlArrayText(_ elements: [Int32]) -> String { ArrayLiteral.bare(elements) }
}

extension Int16: SQLArrayElement {
    public static func sqlArrayText(_ elements: [Int16]) -> String { ArrayLiteral.bare(elements) }
}

/// `[UInt8]` is a `bytea`, written in its hexadecimal form.
extension UInt8: SQLArrayElement {
    public static func sqlArrayText(_ elements: [UInt8]) -> String {
        let prefix: StaticString = "\\x"
        return String(unsafeUninitializedCapacity: elements.count * 2 + prefix.utf8CodeUnitCount) { text in
            text[0] = UInt8(ascii: "\\")
            text[1] = UInt8(ascii: "x")
            var next = 2
            for byte in elements {
                text[next] = hexDigit(byte >> 4)
                text[next + 1] = hexDigit(byte & 15)
                next += 2
            }
            return next
        }
    }
}

/// `[[UInt8]]` is a `bytea[]`.
extension Array: SQLArrayElement where Element == UInt8 {}

func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
}

/// Writes the text form of a Postgres array.
private enum ArrayLiteral {
    static func bare(_ numbers: [some FixedWidthInteger]) -> String {
        var text = "{"
        text.reserveCapacity(numbers.count * 8 + 2)
        for (index, number) in numbers.enumerated() {
            if index > 0 { text += "," }
            text += String(number)
        }
        return text + "}"
    }

    /// Quotes every element, so that commas, braces, blanks, the empty string and the word NULL stay text.
    static func quoted(_ elements: [some SQLValue]) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        bytes.reserveCapacity(elements.count * 16)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            guard let text = element.sqlText else {
                bytes += "NULL".utf8
                continue
            }
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    bytes.append(UInt8(ascii: "\\"))
                }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
