public import Postgres
import ServiceKit

/// The key is another one than the ledger's hashes were made with: with it, nobody who was erased would be recognised.
public struct ForeignErasureKey: Error, Sendable, CustomStringConvertible {
    public let description =
        "ERASURE_HASH_KEY is not the key the suppression ledger was made with: erased people would come back"
}

/// Keeps a database to the first key it was used with.
public enum ErasureKey {
    /// - Throws: `ForeignErasureKey`, `PostgresError`.
    public static func check(_ hasher: SubjectHasher, _ connection: PostgresConnection) async throws {
        let fingerprint = hasher.fingerprint
        let known = try await stored(connection)
        if known == nil {
            try await connection.execute(
                "INSERT INTO erasure_key (fingerprint) VALUES (\(fingerprint)::bytea) ON CONFLICT DO NOTHING"
            )
        }
        // Somebody else may have been first.
        let kept = if let known { known } else { try await stored(connection) }
        guard kept == fingerprint else { throw ForeignErasureKey() }
    }

    private static func stored(_ connection: PostgresConnection) async throws -> [UInt8]? {
        try await connection.first("SELECT fingerprint FROM erasure_key LIMIT 1") { try $0.bytes(0) }
    }

    /// Refuses a wrong key before anything starts, if Postgres can be asked; otherwise the first connection of each part does.
    ///
    /// - Throws: `SettingsError`, which ends the service as any bad setting does.
    public static func refuseForeign(_ settings: AggregatorSettings) async throws {
        do {
            let connection = try await PostgresConnection(
                url: settings.databaseURL.reveal(),
                applicationName: "foreground-aggregator start",
                connectTimeoutSeconds: 3
            )
            try await check(SubjectHasher(key: settings.erasure.hashKey), connection)
            await connection.close()
        } catch is ForeignErasureKey {
            throw SettingsError(problems: [
                SettingProblem(
                    "ERASURE_HASH_KEY",
                    "is not the key the suppression ledger was made with: erased people would come back"
                )
            ])
        } catch is PostgresError {}
    }
}
