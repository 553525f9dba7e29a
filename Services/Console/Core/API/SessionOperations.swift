import Contracts
import HTTP

/// Operations that begin, show and end sessions, and those that need none.
enum SessionOperations {
    static let all: [ConsoleOperation] = [
        .open("GET", "openapi.json") { _, _ in ConsoleOpenAPI.answer },
        .open("GET", "facts") { _, api in api.facts.answer },
        .open("POST", "session") { call, api in try await api.sessions.signIn(call) },
        .open("POST", "setup") { call, api in try await api.sessions.setUp(call) },
        .ofSession("GET", "session") { _, session, _ in
            SessionAPI.session(session.account, csrfToken: session.csrfToken)
        },
        .ofSession("DELETE", "session") { call, session, api in
            try call.fields.finish()
            return try await api.sessions.signOut(session, everywhere: false)
        },
        .ofSession("DELETE", "sessions") { call, session, api in
            try call.fields.finish()
            return try await api.sessions.signOut(session, everywhere: true)
        },
        .ofSession("PUT", "password") { call, session, api in
            try await api.sessions.changePassword(call, session)
        },
    ]
}
