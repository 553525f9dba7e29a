import Gzip
import HTTP
import ReaderCore
import ServiceKit

/// The files of the dashboard, read once at start, with their digests and compressed.
struct StaticPages: Sendable {
    struct Page: Sendable {
        let type: String
        let bytes: [UInt8]
        let compressed: [UInt8]
        let tag: EntityTag
    }

    private let pages: [String: Page]
    private static let assets = "/assets/"
    private static let fileBytesMax = 4 << 20

    /// - Parameters:
    ///   - folder: of the pages; its files are served below `/assets/`, and its `index.html` for every view.
    ///   - chart: the chart library's file, served as `/assets/chart.js`.
    init(folder: String, chart: String) throws {
        var pages: [String: Page] = [:]
        for name in try listFiles(below: folder) {
            guard let type = Self.type(of: name) else { continue }
            pages[Self.assets + name] = try Page(
                type: type,
                bytes: readFile(folder + "/" + name, bytesMax: Self.fileBytesMax)
            )
        }
        pages[Self.assets + "chart.js"] = try Page(
            type: "text/javascript; charset=utf-8",
            bytes: readFile(chart, bytesMax: Self.fileBytesMax)
        )
        self.pages = pages
    }

    init(_ pages: [String: Page]) { self.pages = pages }

    private static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/json"
        case "woff2": "font/woff2"
        default: nil
        }
    }

    /// Everything that is no file is a view of the dashboard, which finds its own way by the address.
    func find(_ path: String) -> Page? {
        pages[path.hasPrefix(Self.assets) ? path : Self.assets + "index.html"]
    }

    func response(_ page: Page, to request: HTTPRequest) -> HTTPResponse {
        var headers: [(name: String, value: String)] = [
            ("ETag", page.tag.text), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding"),
        ]
        if page.tag.isNamed(in: request.headers.values("If-None-Match")) {
            return HTTPResponse(status: 304, headers: headers)
        }
        headers.append(("Content-Type", page.type))
        guard ContentCoding(request.headers) == .gzip else {
            return HTTPResponse(status: 200, headers: headers, body: page.bytes)
        }
        headers.append(("Content-Encoding", "gzip"))
        return HTTPResponse(status: 200, headers: headers, body: page.compressed)
    }
}

extension StaticPages.Page {
    init(type: String, bytes: [UInt8]) throws {
        self.type = type
        self.bytes = bytes
        compressed = Gzip.deflate(bytes, level: 9)
        tag = EntityTag(of: bytes)
    }
}
