/// Tells whether a `user_id` is an e-mail address or a telephone number in disguise.
///
/// Account ids must pass: plain digits of any length, UUIDs, anything with letters that is not an address. So a telephone number
/// is recognised by how people write one (a plus, brackets, groups of few digits), never by its digits alone.
enum PersonalDataRule {
    static func resembles(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        // Most ids hold none of the characters that both shapes need.
        guard utf8.contains(where: { isTelltale($0) }) else { return false }
        let text = decoded(utf8)
        return isMailAddress(text) || isTelephone(text)
    }

    private static func isTelltale(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "("), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: " "), UInt8(ascii: ":"), 0xC2, 0xE2, 0xEF:
            true
        default: false
        }
    }

    /// The text with `%40`-like escapes read once and full-width forms of `@` and `+` made plain.
    private static func decoded(_ utf8: UnsafeBufferPointer<UInt8>) -> [Unicode.Scalar] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var index = 0
        while index < utf8.count {
            if utf8[index] == UInt8(ascii: "%"), index + 2 < utf8.count,
                let high = hexValue(utf8[index + 1]), let low = hexValue(utf8[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(utf8[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
            switch scalar {
            case "\u{FF20}": "@"
            case "\u{FF0B}": "+"
            case "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2212}": "-"
            case "\u{A0}", "\u{2007}", "\u{2009}", "\u{202F}": " "
            default: scalar
            }
        }
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Something before an `@`, and after it a host of at least two labels that ends in letters.
    private static func isMailAddress(_ text: [Unicode.Scalar]) -> Bool {
        for (index, scalar) in text.enumerated() where scalar == "@" {
            guard index > 0, isAddressCharacter(text[index - 1]) else { continue }
            let host = text[(index + 1)...].prefix { isHostCharacter($0) }
            let labels = host.split(separator: ".", omittingEmptySubsequences: true)
            guard labels.count >= 2, host.first != ".", let top = labels.last, top.count >= 2 else {
                continue
            }
            if top.contains(where: { $0.properties.isAlphabetic }) { return true }
        }
        return false
    }

    private static func isAddressCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "!#$%&'*+-/=?^_`{|}~.\"".unicodeScalars.contains(scalar)
    }

    private static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-"
            || scalar == "."
    }

    private static func isTelephone(_ text: [Unicode.Scalar]) -> Bool {
        var rest = text[...].drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        if rest.count > 4, String(String.UnicodeScalarView(rest.prefix(4))).lowercased() == "tel:" {
            rest = rest.dropFirst(4).drop { $0 == " " }
        }
        let punctuation = "+-(). /".unicodeScalars
        guard rest.allSatisfy({ isDigit($0) || punctuation.contains($0) }) else { return false }
        let digits = rest.count { isDigit($0) }
        guard (7...15).contains(digits), digits < rest.count else { return false }
        if rest.first == "+" { return true }
        if let open = rest.firstIndex(of: "("), let close = rest.firstIndex(of: ")"), open < close {
            return true
        }
        return isGroupedLikeTelephone(rest)
    }

    /// `555-123-4567`, `8 900 123-45-67`: three groups or more of at most four digits, the first of at most three, ten digits or more.
    ///
    /// `20261130-000123`, `22-7654321.000` and `1234-5678-9012` are ids: their groups are few or long. Four groups apart by points are
    /// an address on a network.
    private static func isGroupedLikeTelephone(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let groups = text.split { !isDigit($0) }
        let digits = groups.reduce(0) { $0 + $1.count }
        let isDotted = groups.count == 4 && text.allSatisfy { isDigit($0) || $0 == "." }
        let isShort = groups.allSatisfy { $0.count <= 4 } && (groups.first?.count ?? 0) <= 3
        return groups.count >= 3 && digits >= 10 && !isDotted && isShort
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }
}
