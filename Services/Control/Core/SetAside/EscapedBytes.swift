/// Bytes as text that is safe on any terminal: printable ASCII as it is, everything else as `\xNN`.
func escapedText(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    let digits = Array("0123456789abcdef".utf8)
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "\\"): text += [byte, byte]
        case 0x20...0x7E: text.append(byte)
        default:
            text += [UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: text, as: UTF8.self)
}
