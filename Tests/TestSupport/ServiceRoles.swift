import Foundation

/// The same database with the rights of one service only, so that a missing grant fails a test.
public func url(_ url: String, actingAs role: String) -> String {
    guard var components = URLComponents(string: url) else { return url }
    let option = URLQueryItem(name: "options", value: "-c role=\(role)")
    components.queryItems = (components.queryItems ?? []) + [option]
    return components.string ?? url
}

/// A server that refuses every connection.
public let unreachableDatabaseURL = "postgres://nobody:secret@127.0.0.1:1/nowhere"
