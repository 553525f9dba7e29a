public import Contracts
import Glibc

/// Looks for a subject in bytes of any kind, in every spelling it may have there.
///
/// An install id is found as text in either case, with and without hyphens, and as its sixteen bytes. A user id is found as it is and
/// with any of JSON's escapes. One of fewer than eight bytes would be part of much else: it counts only as the whole value or between
/// quotation marks.
public struct SubjectSearch: Sendable {
    private static let wordBytesMin = 8
    private let needles: [[UInt8]]
    /// Sixteen bytes of an install id.
    private let binary: [UInt8]?
    private let whole: [UInt8]
    private let foldsCase: Bool

    public init(_ subject: DeletionSubject) {
        whole = Array(subject.value.utf8)
        if let install = subject.install {
            needles = [whole, whole.filter { $0 != UInt8(ascii: "-") }]
            binary = install.bytes
            foldsCase = true
        } else {
            let quote = UInt8(ascii: "\"")
            needles = [whole.count >= Self.wordBytesMin ? whole : [quote] + whole + [quote]]
            binary = nil
            foldsCase = false
        }
    }

    /// Whether a short user id is only recognised as a whole value; for telling people.
    public var isWholeOnly: Bool { !foldsCase && whole.count < Self.wordBytesMin }

    public func isFound(in bytes: UnsafeRawBufferPointer) -> Bool {
        if let binary, Self.contains(bytes, binary) { return true }
        if isText(bytes) { return true }
        guard bytes.contains(UInt8(ascii: "\\")) else { return false }
        return Self.unescaped(bytes).withUnsafeBytes { isText($0) }
    }

    private func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard foldsCase else { return holds(bytes) }
        return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.withUnsafeBytes { holds($0) }
    }

    private func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.elementsEqual(whole) || needles.contains { Self.contains(bytes, $0) }
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Bool {
        guard let first = needle.first, var from = bytes.baseAddress else { return false }
        let end = from + bytes.count
        while end - from >= needle.count {
            guard let hit = memchr(from, Int32(first), end - from - needle.count + 1) else { return false }
            if memcmp(hit, needle, needle.count) == 0 { return true }
            from = UnsafeRawPointer(hit) + 1
        }
        return false
    }

    /// What JSON's escapes stand for; what is none stays as it is, for the bytes need not be JSON at all.
    static func unescaped(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var units: [UInt16] = []
        func flush() {
            guard !units.isEmpty else { return }
            text += String(decoding: units, as: UTF16.self).utf8
            units = []
        }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "\\"), index + 1 < bytes.count else {
                flush()
                text.append(byte)
                index += 1
                continue
            }
            let next = bytes[index + 1]
            if next == UInt8(ascii: "u"), let unit = hexUnit(bytes, at: index + 2) {
                units.append(unit)
                index += 6
                continue
            }
            flush()
            text.append(Self.short[next] ?? next)
            index += 2
        }
        flush()
        return text
    }

    private static let short: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "t"): 0x09,
    ]

    private static func hexUnit(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt16? {
        guard start + 4 <= bytes.count else { return nil }
        return UInt16(String(decoding: bytes[start..<start + 4], as: UTF8.self), radix: 16)
    }
}
