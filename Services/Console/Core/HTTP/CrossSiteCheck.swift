import Crypto
import HTTP

/// Refuses changes that another site's page makes with our cookie.
///
/// The cookie is SameSite=Strict already; the token holds where a browser does not know that, and the origin where there is no session yet.
enum CrossSiteCheck {
    static let header = "X-CSRF-Token"

    static func check(_ request: HTTPRequest, _ session: ConsoleSession) throws(ConsoleRefusal) {
        try checkOrigin(request)
        let token = request.headers[header] ?? ""
        guard ConstantTime.areEqual(Array(token.utf8), Array(session.csrfToken.utf8)) else {
            throw ConsoleRefusal(.forbidden, reason: "\(header) is missing or wrong")
        }
    }

    /// A browser names the page's origin with every change; others name none.
    static func checkOrigin(_ request: HTTPRequest) throws(ConsoleRefusal) {
        guard let origin = request.headers["Origin"] else { return }
        let host = request.headers["Host"] ?? ""
        guard origin == "http://" + host || origin == "https://" + host else {
            throw ConsoleRefusal(.forbidden, reason: "the page is of another origin")
        }
    }
}
