import Calendar
import Contracts
import JSON
import Postgres
import Schema

/// `POST /v1/apps/{app_id}/deletion-requests` and `GET …/deletion-requests/{request_id}`.
///
/// Whether the subject exists is neither looked up nor told: what arrives late may be theirs. A personal user id, which ingest would
/// refuse, may be named: somebody may want to be sure that nothing of it is there.
enum DeletionAPI {
    /// Reads `{"subject_type": "user" | "install", "subject_value": "…"}`; members beside these are ignored.
    ///
    /// - Throws: `invalid_request` naming the member, or `body` for a text that is no JSON object.
    static func subject(_ body: [UInt8]) throws(ReadRefusal) -> DeletionSubject {
        let members: (type: String?, value: String?)
        do {
            members = try JSONParser(depthMax: 16, bytesMax: 65_536).withDocument(body) { document in
                guard document.isObject else { throw ReadRefusal(.invalidRequest, field: "body") }
                return (
                    try text("subject_type", of: document), try text("subject_value", of: document)
                )
            }
        } catch let refusal as ReadRefusal {
            throw refusal
        } catch {
            throw ReadRefusal(.invalidRequest, field: "body")
        }
        guard let type = members.type.flatMap(DeletionSubjectType.init(rawValue:)) else {
            throw ReadRefusal(.invalidRequest, field: "subject_type")
        }
        guard let subject = members.value.flatMap({ DeletionSubject(type, $0) }) else {
            throw ReadRefusal(.invalidRequest, field: "subject_value")
        }
        return subject
    }

    /// A member that is named twice is refused: readers differ in which they believe, and erasing the wrong one cannot be undone.
    private static func text(_ name: StaticString, of object: JSONValue) throws(ReadRefusal) -> String? {
        var found: JSONValue?
        for member in object.members where member.key.isEqual(to: name) {
            guard found == nil else { throw ReadRefusal(.invalidRequest, field: "\(name)") }
            found = member.value
        }
        return found?.string
    }

    /// Makes a request, or finds the open one for the same subject.
    static func create(
        _ app: AppRecord,
        _ subject: DeletionSubject,
        _ access: APIAccess,
        nowMs: Int64,
        _ connection: PostgresConnection
    ) async throws -> [UInt8] {
        let number = app.number
        do {
            return json(
                try await connection.transaction { connection in
                    let request = try DeletionRequests.create(
                        app: number,
                        subject,
                        source: access.source,
                        nowMs: nowMs,
                        connection
                    )
                    try access.note?(request, connection)
                    return request
                }
            )
        } catch let error as PostgresError where error.sqlState == "23503" {
            throw ReadRefusal(.appNotFound)
        }
    }

    /// - Throws: `not_found` for an id the app has no request of.
    static func find(_ app: AppRecord, _ id: UUID128?, _ connection: PostgresConnection) async throws
        -> [UInt8]
    {
        let number = app.number
        guard let id,
            let request = try await connection.transaction({ connection in
                try DeletionRequests.find(app: number, id, connection)
            })
        else { throw ReadRefusal(.notFound, field: "request_id") }
        return json(request)
    }

    private static func json(_ request: DeletionRequest) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 512)
        writer.beginObject()
        writer.member("id", request.id)
        writer.member("app_id", request.appID)
        writer.member("subject_type", request.type.rawValue)
        // Gone once the request is done: from then on nobody needs to know it.
        writer.member("subject_value", request.value)
        writer.member("status", request.status.rawValue)
        writer.member("source", request.source.rawValue)
        writer.member("requested_at", atMs: request.requestedAtMs)
        writer.member("started_at", atMs: request.startedAtMs)
        writer.member("completed_at", atMs: request.completedAtMs)
        writer.member("error", request.error)
        writer.endObject()
        return writer.bytes
    }
}
