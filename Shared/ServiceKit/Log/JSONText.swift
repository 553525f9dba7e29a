/// Writes JSON text that stays on one line and shows what it holds.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    init(bytesExpected: Int = 256) { bytes.reserveCapacity(bytesExpected) }

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends a quoted string, cut after `scalarsMax` scalars, the cut marked by an ellipsis.
    mutating func string(_ text: String, scalarsMax: Int = .max) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        if appendPlain(text, bytesMax: scalarsMax) { return }
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < scalarsMax else {
                raw("…")
                break
            }
            append(scalar)
            count += 1
        }
    }

    /// Copies text that needs no look at its scalars, which is most of what is logged.
    private mutating func appendPlain(_ text: String, bytesMax: Int) -> Bool {
        let copied = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard utf8.count <= bytesMax else { return false }
            guard utf8.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != 0x22 && $0 != 0x5C }) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        return copied ?? false
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x22: raw("\\\"")
        case 0x5C: raw("\\\\")
        case 0x20..<0x7F: bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        default:
            guard scalar.value > 0x9F, Self.isShown(scalar) else { return escape(scalar) }
            bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// False for what moves the cursor, ends the line, turns the direction or is not seen at all.
    ///
    /// Decided by category and not by a list: a list of bidi controls is out of date with each Unicode.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return false
        default:
            return true
        }
    }

    private mutating func escape(_ scalar: Unicode.Scalar) {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            let digits = String(unit, radix: 16)
            raw("\\u")
            raw(String(repeating: "0", count: 4 - digits.utf8.count))
            raw(digits)
        }
    }
}
