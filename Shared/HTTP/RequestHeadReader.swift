import CMicroHTTPD
import Glibc

/// Reads a parsed head out of libmicrohttpd and judges what it lets pass.
///
/// libmicrohttpd 0.9.75 is lenient where leniency lets two readers disagree about where a request ends: it
/// takes the first of several lengths, ignores a length beside chunks, keeps a blank before the colon as
/// part of the name, glues a folded line to it, and takes a line that begins with a colon or a NUL for the
/// end of the head. Behind a proxy each of these is a way to smuggle a request, so all of them are refused.
///
/// It keeps pointers into the connection's memory: it must not outlive the callback it is made in.
struct RequestHeadReader {
    private let start: UnsafePointer<UInt8>
    private let size: Int
    /// Where the last line read so far ends; the next must begin right after its CRLF.
    private var lineEnd: Int32
    private var fields: [HTTPHeaders.Field] = []
    private var isMalformed = false
    private var hostCount = 0
    private var encodingCount = 0
    private var lengthText: UnsafeBufferPointer<UInt8>?
    private(set) var isChunked = false

    /// - Parameter method: Where libmicrohttpd keeps the method, which is where the head begins.
    init(connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        start = UnsafeRawPointer(method).assumingMemoryBound(to: UInt8.self)
        size = microhttpd_head_size(connection)
        lineEnd = Int32(truncatingIfNeeded: version - method + strlen(version))
        fields.reserveCapacity(16)
        withUnsafeMutablePointer(to: &self) { reader in
            _ = MHD_get_connection_values_n(
                connection,
                .HEADER_KIND,
                { context, _, name, nameCount, value, valueCount in
                    guard let context, let name, let value else { return .NO }
                    context.assumingMemoryBound(to: RequestHeadReader.self).pointee.add(
                        name: UnsafeBufferPointer(
                            start: UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self),
                            count: nameCount
                        ),
                        value: UnsafeBufferPointer(
                            start: UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self),
                            count: valueCount
                        )
                    )
                    return .YES
                },
                reader
            )
        }
    }

    var headers: HTTPHeaders {
        HTTPHeaders(bytes: Array(UnsafeBufferPointer(start: start, count: size)), fields: fields)
    }

    /// Nil without a `Content-Length`.
    var contentLength: Int? {
        lengthText.map { digits in
            // libmicrohttpd has refused what is no number; what does not fit is over every limit.
            digits.reduce(0) { sum, digit in
                let (tens, overTens) = sum.multipliedReportingOverflow(by: 10)
                let (next, overNext) = tens.addingReportingOverflow(Int(digit &- UInt8(ascii: "0")))
                return overTens || overNext ? Int.max : next
            }
        }
    }

    /// Whether head and body can be told apart in one way only.
    func isSound(isHTTP10: Bool) -> Bool {
        if isMalformed || encodingCount > 1 || Int(lineEnd) + 4 != size { return false }
        if encodingCount == 1 && (!isChunked || isHTTP10 || lengthText != nil) { return false }
        return isHTTP10 ? hostCount <= 1 : hostCount == 1
    }

    private mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard let nameStart = offset(of: name), let valueStart = offset(of: value), !name.isEmpty,
            nameStart == lineEnd + 2, name.allSatisfy(ASCII.isToken)
        else {
            isMalformed = true
            return
        }
        fields.append(
            HTTPHeaders.Field(
                nameStart: nameStart,
                nameCount: Int32(truncatingIfNeeded: name.count),
                valueStart: valueStart,
                valueCount: Int32(truncatingIfNeeded: Self.countWithoutBlanks(value))
            )
        )
        lineEnd = valueStart + Int32(truncatingIfNeeded: value.count)
        noteFraming(name, value)
    }

    /// Nil outside the head: libmicrohttpd moves a name there when it unfolds a line.
    private func offset(of text: UnsafeBufferPointer<UInt8>) -> Int32? {
        guard let base = text.baseAddress, base >= start, base + text.count <= start + size else {
            return nil
        }
        return Int32(exactly: base - start)
    }

    private mutating func noteFraming(
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>
    ) {
        switch name.count {
        case 4 where ASCII.equalIgnoringCase(name, "host"):
            hostCount += 1
        case 14 where ASCII.equalIgnoringCase(name, "content-length"):
            if let lengthText, !lengthText.elementsEqual(value) { isMalformed = true }
            lengthText = value
        case 17 where ASCII.equalIgnoringCase(name, "transfer-encoding"):
            encodingCount += 1
            // Not trimmed: libmicrohttpd compares all of it, and so must we, or we would not agree.
            isChunked = ASCII.equalIgnoringCase(value, "chunked")
        default:
            break
        }
    }

    private static func countWithoutBlanks(_ value: UnsafeBufferPointer<UInt8>) -> Int {
        var count = value.count
        while count > 0, value[count - 1] == UInt8(ascii: " ") || value[count - 1] == UInt8(ascii: "\t") {
            count -= 1
        }
        return count
    }
}
