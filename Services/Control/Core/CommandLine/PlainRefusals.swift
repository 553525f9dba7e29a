import Contracts
import ControlPlane

/// Says what the control plane refuses in words that name what was typed.
enum PlainRefusals {
    nonisolated(nonsending) static func naming<Value>(
        app: UUID128? = nil,
        keyPrefix: String? = nil,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let problem as ControlProblem {
            switch (problem, app, keyPrefix) {
            case (.appNotFound, let app?, _): throw CommandFailure("there is no app \(app)")
            case (.keyNotFound, _, let prefix?):
                throw CommandFailure("no key begins with '\(prefix)', or it is revoked already")
            default: throw problem
            }
        }
    }
}
