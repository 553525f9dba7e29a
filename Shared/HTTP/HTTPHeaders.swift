/// The headers of a request, in the order they came.
///
/// One copy of the head's bytes and a table of where each field lies in it: a service reads two or three
/// of a request's headers, so text is made only for those.
public struct HTTPHeaders: Sendable {
    struct Field: Sendable {
        var nameStart: Int32
        var nameCount: Int32
        var valueStart: Int32
        var valueCount: Int32
    }

    private let bytes: [UInt8]
    private let fields: [Field]

    /// The caller promises that every field lies within `bytes`.
    init(bytes: [UInt8], fields: [Field]) {
        self.bytes = bytes
        self.fields = fields
    }

    public init(_ pairs: [(String, String)]) {
        var bytes: [UInt8] = []
        var fields: [Field] = []
        for (name, value) in pairs {
            let nameStart = bytes.count
            bytes.append(contentsOf: name.utf8)
            let valueStart = bytes.count
            bytes.append(contentsOf: value.utf8)
            fields.append(
                Field(
                    nameStart: Int32(nameStart),
                    nameCount: Int32(valueStart - nameStart),
                    valueStart: Int32(valueStart),
                    valueCount: Int32(bytes.count - valueStart)
                )
            )
        }
        self.init(bytes: bytes, fields: fields)
    }

    public var count: Int { fields.count }

    /// Every field as it was written, for a report or a test; the lookups below are cheaper.
    public var pairs: [(name: String, value: String)] {
        fields.map { (text($0.nameStart, $0.nameCount), text($0.valueStart, $0.valueCount)) }
    }

    /// The first value of that name, whatever its case.
    public subscript(_ name: String) -> String? {
        firstField(name, from: 0).map { text(fields[$0].valueStart, fields[$0].valueCount) }
    }

    public func values(_ name: String) -> [String] {
        var values: [String] = []
        var next = 0
        while let index = firstField(name, from: next) {
            values.append(text(fields[index].valueStart, fields[index].valueCount))
            next = index + 1
        }
        return values
    }

    private func firstField(_ name: String, from start: Int) -> Int? {
        var name = name
        return name.withUTF8 { wanted in
            bytes.withUnsafeBufferPointer { bytes in
                (start..<fields.count).first { index in
                    let field = fields[index]
                    guard Int(field.nameCount) == wanted.count else { return false }
                    let start = Int(field.nameStart)
                    return ASCII.equalIgnoringCase(
                        UnsafeBufferPointer(rebasing: bytes[start..<start + wanted.count]),
                        wanted
                    )
                }
            }
        }
    }

    /// Bytes outside UTF-8 become U+FFFD: header values have no defined encoding.
    private func text(_ start: Int32, _ count: Int32) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            String(
                decoding: UnsafeBufferPointer(rebasing: bytes[Int(start)..<Int(start + count)]),
                as: UTF8.self
            )
        }
    }
}
