import Crypto
import HTTP

/// Refuses changes that another site's page makes with our cookie.
///
/// The cookie is SameSite=Strict already; the token holds where a browser does not know that, and the origin where there is no session yet.
struct CrossSiteCheck: Sendable {
    static let header = "X-CSRF-Token"

    /// Of `CONSOLE_URL`: scheme, host and port.
    let origin: String
    let isSecure: Bool

    init(consoleURL: String) {
        let parts = consoleURL.split(separator: "/", omittingEmptySubsequences: false)
        origin = parts.prefix(3).joined(separator: "/").lowercased()
        isSecure = origin.hasPrefix("https://")
    }

    func check(_ request: HTTPRequest, _ session: ConsoleSession) throws(ConsoleRefusal) {
        try check(request)
        let token = request.headers[Self.header] ?? ""
        guard ConstantTime.areEqual(Array(token.utf8), Array(session.csrfToken.utf8)) else {
            throw ConsoleRefusal(.forbidden, reason: "\(Self.header) is missing or wrong")
        }
    }

    /// A browser names the page's origin with every change; others name none.
    func check(_ request: HTTPRequest) throws(ConsoleRefusal) {
        let refusal = ConsoleRefusal(.forbidden, reason: "the page is of another origin")
        if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" {
            throw refusal
        }
        guard let named = request.headers["Origin"]?.lowercased() else { return }
        // Under another name than the one in the settings: an address on the own machine, a tunnel.
        let scheme = isSecure ? "https://" : "http://"
        let own = scheme + (request.headers["Host"] ?? "").lowercased()
        guard named == origin || named == own else { throw refusal }
    }
}
