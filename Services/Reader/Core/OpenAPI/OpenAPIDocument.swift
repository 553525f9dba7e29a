import Contracts
import HTTP

/// The reference of the Read API: `openapi.json` beside this file, served to anybody.
public enum OpenAPIDocument {
    public static let path = "/openapi.json"
    public static let bytes = PackageResources.openapi_json

    /// Pages of any site may read it, for it tells nothing of this installation.
    static let crossOrigin: [(name: String, value: String)] = [
        ("Access-Control-Allow-Origin", "*"),
        ("Access-Control-Expose-Headers", "ETag, X-Request-Id"),
    ]

    static var answer: ReadAnswer {
        ReadAnswer(validity: .content, headers: crossOrigin) { bytes }
    }

    /// The answer to a browser that asks before it reads.
    static func preflight(allowing methods: String) -> HTTPResponse {
        HTTPResponse(
            status: 204,
            headers: crossOrigin + [
                ("Allow", methods), ("Access-Control-Allow-Methods", methods),
                ("Access-Control-Allow-Headers", "If-None-Match"), ("Access-Control-Max-Age", "86400"),
            ]
        )
    }
}
