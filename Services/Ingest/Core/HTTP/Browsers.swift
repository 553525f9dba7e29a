import HTTP

/// What lets pages of any site send events: write keys are public, and no cookie or credential is ever used.
enum Browsers {
    static let allowedMethods = "POST, OPTIONS"

    /// Answers a preflight; it needs no key and costs no limit, since browsers send none with it.
    static func preflight() -> HTTPResponse {
        HTTPResponse(
            status: 204,
            headers: [
                ("Access-Control-Allow-Origin", "*"),
                ("Access-Control-Allow-Methods", allowedMethods),
                (
                    "Access-Control-Allow-Headers",
                    "X-App-Key, Content-Type, Content-Encoding, Accept-Language"
                ),
                ("Access-Control-Max-Age", "86400"),
                ("Allow", allowedMethods),
            ]
        )
    }

    /// Lets the page read the answer, errors included: without it a script could not see `Retry-After`.
    static func allow(_ response: HTTPResponse, for head: HTTPRequestHead?) -> HTTPResponse {
        guard head?.headers["Origin"] != nil else { return response }
        var response = response
        response.headers.append(("Access-Control-Allow-Origin", "*"))
        response.headers.append(("Access-Control-Expose-Headers", "Retry-After, X-Request-Id"))
        return response
    }
}
