import Crypto

/// The cookie that carries a session's token.
///
/// Behind TLS its name begins with `__Host-`: then a browser takes it from this very host over TLS only, so that no neighbour on the same
/// domain can plant one.
struct SessionCookie: Sendable {
    let isSecure: Bool
    let ageMsMax: Int

    var name: String { isSecure ? "__Host-fg_session" : "fg_session" }

    /// The token of a `Cookie` header; nil without one, or with two that differ.
    func token(_ headers: [String]) -> String? {
        let pairs = headers.flatMap { $0.split(separator: ";") }
        let values = pairs.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            return String(parts[1])
        }
        guard Set(values).count == 1, let value = values.first, Base62.isValid(value) else { return nil }
        return value
    }

    func set(_ token: String) -> String { header(token, ageSeconds: ageMsMax / 1000) }

    /// Takes the cookie away.
    var clear: String { header("", ageSeconds: 0) }

    private func header(_ value: String, ageSeconds: Int) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(ageSeconds)"
            + (isSecure ? "; Secure" : "")
    }
}
