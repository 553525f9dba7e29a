import CCurl
import Dispatch

/// What a server answered.
public struct PostAnswer: Sendable {
    public let status: Int
    /// Cut at `HTTPSPoster.answerBytesMax`.
    public let body: [UInt8]
}

/// Why a request got no answer: libcurl's word for it, which never contains the URL.
public struct PostFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public let code: Int
    public let description: String
}

/// Posts to HTTPS servers through libcurl.
///
/// - Threads: libcurl blocks, so each request runs on a Dispatch queue of its own; call it from anywhere.
/// - Blocking: a request takes `totalMsMax` at most, name look-up included.
/// - Security: only `https`; the certificate and its name are always checked; no redirect is followed, since a token may be in the path.
/// - Ownership: the handle and its lists live for one call. libcurl borrows body and URL for that long and copies neither the body nor the
///   headers, so all of them are lent inside one closure.
public struct HTTPSPoster: Sendable {
    public static let answerBytesMax = 64 << 10
    private let connectMsMax: Int
    private let totalMsMax: Int
    private let caFile: String?

    /// - Parameter caFile: certificates to trust in place of the system's, as PEM.
    public init(connectMsMax: Int = 5_000, totalMsMax: Int = 15_000, caFile: String? = nil) {
        self.connectMsMax = connectMsMax
        self.totalMsMax = totalMsMax
        self.caFile = caFile
    }

    /// - Parameter headers: whole lines, such as `Content-Type: application/json`.
    public func post(_ body: [UInt8], to url: String, headers: [String]) async throws(PostFailure)
        -> PostAnswer
    {
        let result: Result<PostAnswer, PostFailure> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "https-poster").async {
                continuation.resume(
                    returning: Result { () throws(PostFailure) in try perform(body, url, headers) }
                )
            }
        }
        return try result.get()
    }

    /// libcurl's global state is made once, before any handle, and kept to the end of the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private func perform(_ body: [UInt8], _ url: String, _ headers: [String]) throws(PostFailure)
        -> PostAnswer
    {
        guard Self.isReady, let handle = curl_easy_init() else { throw PostFailure(CURLE_FAILED_INIT) }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for header in headers {
            // A failed append leaves the list as it was.
            guard let longer = curl_slist_append(list, header) else { throw PostFailure(CURLE_OUT_OF_MEMORY) }
            list = longer
        }
        let gathered = Gathered()
        let code = send(body, url, list, handle, gathered)
        guard code == CURLE_OK else { throw PostFailure(code) }
        return PostAnswer(status: curl_status(handle), body: gathered.bytes)
    }

    private func send(
        _ body: [UInt8],
        _ url: String,
        _ headers: UnsafeMutablePointer<curl_slist>?,
        _ handle: UnsafeMutableRawPointer,
        _ gathered: Gathered
    ) -> CURLcode {
        withExtendedLifetime(gathered) {
            url.withCString { url in
                withOptionalCString(caFile) { caFile in
                    body.withUnsafeBytes { bytes in
                        var post = curl_post()
                        post.url = url
                        post.headers = headers
                        post.body = bytes.bindMemory(to: CChar.self).baseAddress
                        post.body_bytes = bytes.count
                        post.connect_ms_max = connectMsMax
                        post.total_ms_max = totalMsMax
                        post.ca_file = caFile
                        post.on_bytes = { start, size, count, context in
                            gather(start, size &* count, context)
                        }
                        post.context = Unmanaged.passUnretained(gathered).toOpaque()
                        let code = curl_prepare_post(handle, &post)
                        return code == CURLE_OK ? curl_easy_perform(handle) : code
                    }
                }
            }
        }
    }
}

/// What has arrived of an answer; used by the thread of its request only.
private final class Gathered {
    var bytes: [UInt8] = []
}

/// Takes what libcurl hands over; saying that all was used keeps the rest of a long answer coming, to be dropped.
private func gather(_ start: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    guard let start, let context else { return 0 }
    let gathered = Unmanaged<Gathered>.fromOpaque(context).takeUnretainedValue()
    let room = HTTPSPoster.answerBytesMax - gathered.bytes.count
    gathered.bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: min(room, count)))
    return count
}

private func withOptionalCString<Value>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Value) -> Value {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}

extension PostFailure {
    fileprivate init(_ code: CURLcode) {
        self.init(
            code: Int(code.rawValue),
            description: curl_easy_strerror(code).map { String(cString: $0) } ?? "no answer"
        )
    }
}
