import Contracts
import JSON
import Postgres
import Schema
import ServiceKit

/// The commands `fgctl erasure create`, `list`, `show` and `retry`.
enum ErasureCommands {
    private static let listedMax = 1_000

    static let create = CommandSpec(
        words: ["erasure", "create"],
        summary: "Ask for the deletion of everything of a user or an install",
        details: """
            An aggregator does it in the background; fgctl erasure show tells how far it is. Asking again before it is done returns the \
            same request.
            """,
        options: [
            .value("app", "APP_ID", required: true, "the app"),
            .value("user", "USER_ID", "the user, exactly as the app sends it"),
            .value("install", "INSTALL_ID", "the install"),
        ]
    ) { arguments, context in
        let id = try Arguments.appID(arguments.first("app"))
        let subject = try Arguments.subject(arguments)
        let connection = try await context.connect()
        let app = try await number(of: id, connection)
        let request = try await connection.perform {
            try DeletionRequests.create(
                app: app,
                subject,
                source: .fgctl,
                nowMs: SystemWallClock().nowMs(),
                $0
            )
        }
        await connection.close()
        return shown(request)
    }

    static let list = CommandSpec(
        words: ["erasure", "list"],
        summary: "List deletion requests, the newest first",
        details: "At most \(listedMax) are shown.",
        options: [
            .value("app", "APP_ID", "only those of one app"),
            .value("status", "STATUS", "only those that are pending, running, done or failed"),
        ]
    ) { arguments, context in
        let app = try arguments.first("app").map { text throws(CommandFailure) in try Arguments.appID(text) }
        let status = try arguments.first("status").map { text throws(CommandFailure) in
            guard let status = DeletionStatus(rawValue: text) else {
                throw .usage("--status '\(text)' is not pending, running, done or failed")
            }
            return status
        }
        let connection = try await context.connect()
        var appNumber: Int32?
        if let app { appNumber = try await number(of: app, connection) }
        let (only, limit) = (appNumber, listedMax)
        let requests = try await connection.perform {
            try DeletionRequests.list(app: only, status: status, limit: limit, $0)
        }
        await connection.close()
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("requests")
        writer.beginArray()
        for request in requests { write(request, to: &writer) }
        writer.endArray()
        writer.endObject()
        return CommandResult(text: requests.map(line).joined(), json: writer.bytes)
    }

    static let show = CommandSpec(
        words: ["erasure", "show"],
        summary: "Show one deletion request",
        positionals: ["REQUEST_ID"]
    ) { arguments, context in
        let id = try requestID(arguments)
        let connection = try await context.connect()
        let request = try await connection.perform { try DeletionRequests.find(id, $0) }
        await connection.close()
        guard let request else { throw CommandFailure("there is no deletion request \(id)") }
        return shown(request)
    }

    static let retry = CommandSpec(
        words: ["erasure", "retry"],
        summary: "Give a failed deletion request a new round of attempts",
        positionals: ["REQUEST_ID"]
    ) { arguments, context in
        let id = try requestID(arguments)
        let connection = try await context.connect()
        let request: DeletionRequest?
        do {
            request = try await connection.perform {
                try DeletionRequests.retry(id, nowMs: SystemWallClock().nowMs(), $0)
            }
        } catch let error as PostgresError where error.sqlState == "23505" {
            throw CommandFailure("another request for the same subject is open; it does the work of this one")
        }
        await connection.close()
        guard let request else {
            throw CommandFailure("there is no failed deletion request \(id) that can be tried again")
        }
        return shown(request)
    }

    static func number(of app: UUID128, _ connection: PostgresConnection) async throws -> Int32 {
        let number = try await connection.first("SELECT app_no FROM apps WHERE app_id = \(app)::uuid LIMIT 1")
        {
            try $0.int32(0)
        }
        guard let number else { throw CommandFailure("there is no app \(app)") }
        return number
    }

    private static func requestID(_ arguments: ParsedArguments) throws(CommandFailure) -> UUID128 {
        guard let id = UUID128(arguments.positionals[0]) else {
            throw .usage("'\(arguments.positionals[0])' is not a request id")
        }
        return id
    }

    private static func shown(_ request: DeletionRequest) -> CommandResult {
        var writer = JSONWriter()
        write(request, to: &writer)
        return CommandResult(text: line(request), json: writer.bytes)
    }

    private static func line(_ request: DeletionRequest) -> String {
        var parts = [
            request.id.description, request.status.rawValue, request.appID.description, request.type.rawValue,
            request.value ?? "-", utcText(ms: request.requestedAtMs),
        ]
        if let completedAtMs = request.completedAtMs { parts.append("done \(utcText(ms: completedAtMs))") }
        if let error = request.error { parts.append("\(error) after \(request.attempts) attempts") }
        return parts.joined(separator: "  ") + "\n"
    }

    /// The members of the Read API, and the attempts.
    private static func write(_ request: DeletionRequest, to writer: inout JSONWriter) {
        func text(_ name: StaticString, _ value: String?) {
            writer.key(name)
            if let value { writer.string(value) } else { writer.null() }
        }
        writer.beginObject()
        text("id", request.id.description)
        text("app_id", request.appID.description)
        text("subject_type", request.type.rawValue)
        text("subject_value", request.value)
        text("status", request.status.rawValue)
        text("source", request.source.rawValue)
        text("requested_at", utcText(ms: request.requestedAtMs))
        text("started_at", request.startedAtMs.map { utcText(ms: $0) })
        text("completed_at", request.completedAtMs.map { utcText(ms: $0) })
        text("error", request.error)
        writer.key("attempts")
        writer.int(request.attempts)
        writer.endObject()
    }
}

extension Arguments {
    /// The subject of `--user` or `--install`: exactly one of them.
    static func subject(_ arguments: ParsedArguments) throws(CommandFailure) -> DeletionSubject {
        switch (arguments.first("user"), arguments.first("install")) {
        case (let user?, nil):
            guard let subject = DeletionSubject(.user, user) else {
                throw .usage("--user must be 1 to 128 characters without control characters")
            }
            return subject
        case (nil, let install?):
            guard let subject = DeletionSubject(.install, install) else {
                throw .usage("--install must be an install id, such as 6f1c2a9e-3b7d-4c55-8a2e-0d9b1f7e4c21")
            }
            return subject
        default:
            throw .usage("give either --user or --install")
        }
    }
}
