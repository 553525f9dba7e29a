import Contracts
import Postgres
import Schema

/// A rule for the anonymous events of an install that an erased person turned out to own.
struct LateLink: Sendable {
    let key: SuppressionKey
    let rule: SuppressionRule
    let place: InstallPlace
}

/// Finds installs that belonged to an erased person although nobody knew when the person was erased.
///
/// An event of the person that comes late from such an install is suppressed, but its anonymous events are the person's too: without this
/// it would depend on the order of arrival whether they stay. The install is the person's unless an earlier event names somebody else.
struct LateLinks {
    /// The smallest (event_time, insert_id) that names somebody, and whom; as bytes, since strings compare by meaning.
    private struct Earliest {
        let timeMs: Int64
        let insertID: UUID128
        let user: [UInt8]

        func isBefore(_ other: Earliest?) -> Bool {
            guard let other else { return true }
            return (timeMs, insertID) < (other.timeMs, other.insertID)
        }
    }

    private struct Claim {
        let user: [UInt8]
        let rules: [SuppressionRule]
    }

    private let hasher: SubjectHasher
    private var claims: [InstallPlace: [Claim]] = [:]

    init(_ hasher: SubjectHasher) {
        self.hasher = hasher
    }

    /// - Parameter rules: those of the user that suppress the event.
    mutating func note(_ staged: AdmittedEvents.Event, _ rules: [SuppressionRule]) {
        let user = Array((staged.event.userID ?? "").utf8)
        claims[InstallPlace(staged), default: []].append(Claim(user: user, rules: rules))
    }

    func found(in events: [AdmittedEvents.Event], _ connection: isolated PostgresConnection) throws
        -> [LateLink]
    {
        guard !claims.isEmpty else { return [] }
        var earliest = try storedOwners(connection)
        for staged in events {
            let place = InstallPlace(staged)
            guard let id = staged.event.userID, claims[place] != nil else { continue }
            let own = Earliest(
                timeMs: staged.event.eventTimeMs,
                insertID: staged.event.insertID,
                user: Array(id.utf8)
            )
            if own.isBefore(earliest[place]) { earliest[place] = own }
        }
        var links: [LateLink] = []
        for (place, claims) in claims {
            guard let owner = earliest[place]?.user else { continue }
            let hash = hasher.anonymous(place.install, environment: place.environment)
            let key = SuppressionKey(app: place.app, kind: .installAnonymous, hash: hash)
            var byRequest: [UUID128: SuppressionRule] = [:]
            for claim in claims where claim.user == owner {
                for rule in claim.rules { byRequest[rule.request] = rule }
            }
            links += byRequest.values.map { LateLink(key: key, rule: $0, place: place) }
        }
        // In one order for everybody, so that two stores never wait for each other's rows.
        return links.sorted {
            ($0.place.app, $0.rule.request, $0.place.install, $0.place.environment)
                < ($1.place.app, $1.rule.request, $1.place.install, $1.place.environment)
        }
    }

    private func storedOwners(_ connection: isolated PostgresConnection) throws -> [InstallPlace: Earliest] {
        let places = Array(claims.keys)
        var owners: [InstallPlace: Earliest] = [:]
        try connection.forEachRow(
            """
            SELECT p.position, i.owner_at, i.owner_insert_id, u.user_id
            FROM unnest(\(places.map(\.app))::integer[], \(places.map(\.environment))::smallint[],
                        \(places.map(\.install.description))::uuid[])
                WITH ORDINALITY AS p(app_no, environment, install_id, position)
            JOIN installs i USING (app_no, environment, install_id)
            JOIN users u ON u.app_no = i.app_no AND u.environment = i.environment AND u.user_no = i.owner_no
            """
        ) { row in
            owners[places[try row.int(0) - 1]] = Earliest(
                timeMs: try row.timestampMs(1),
                insertID: try row.uuid128(2),
                user: Array(try row.string(3).utf8)
            )
        }
        return owners
    }

    /// Adds rows that are not there yet; a worker then looks for what is stored of these installs.
    static func write(_ links: [LateLink], _ connection: isolated PostgresConnection) throws {
        guard !links.isEmpty else { return }
        let requested = links.map { PostgresTimestamp(ms: $0.rule.requestedAtMs).sqlText ?? "" }
        let finished = links.map { link in
            link.rule.finishedAtMs.flatMap { PostgresTimestamp(ms: $0).sqlText } ?? "infinity"
        }
        try connection.execute(
            """
            INSERT INTO suppressions (app_no, kind, subject_hash, request_id, requested_at, finished_at, swept,
                                      sweep_environment, sweep_install_id)
            SELECT app_no, 'install_anonymous', subject_hash, request_id, requested_at, finished_at, false,
                   environment, install_id
            FROM unnest(\(links.map(\.place.app))::integer[], \(links.map(\.key.hash))::bytea[],
                        \(links.map(\.rule.request.description))::uuid[], \(requested)::timestamptz[],
                        \(finished)::timestamptz[], \(links.map(\.place.environment))::smallint[],
                        \(links.map(\.place.install.description))::uuid[])
                AS l(app_no, subject_hash, request_id, requested_at, finished_at, environment, install_id)
            ON CONFLICT DO NOTHING
            """
        )
    }
}
