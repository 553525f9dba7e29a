/// The database as numbered steps that only go forward.
///
/// A step that has been released is never edited: a later one changes what it made. Names carry no schema, so tests can
/// build everything inside a schema of their own.
public enum Schema {
    public struct Migration: Sendable, Equatable {
        public let number: Int
        public let name: String
        public let sql: String
    }

    public static let migrations: [Migration] = [
        Migration(number: 1, name: "roles", sql: text(PackageResources.step_0001_roles_sql)),
        Migration(number: 2, name: "control", sql: text(PackageResources.step_0002_control_sql)),
        Migration(number: 3, name: "events", sql: text(PackageResources.step_0003_events_sql)),
        Migration(number: 4, name: "days", sql: text(PackageResources.step_0004_days_sql)),
        Migration(
            number: 5,
            name: "ingest_instances",
            sql: text(PackageResources.step_0005_ingest_instances_sql)
        ),
        Migration(number: 6, name: "store_epoch", sql: text(PackageResources.step_0006_store_epoch_sql)),
        Migration(number: 7, name: "erasure", sql: text(PackageResources.step_0007_erasure_sql)),
        Migration(number: 8, name: "zone_changes", sql: text(PackageResources.step_0008_zone_changes_sql)),
        Migration(number: 9, name: "rejections", sql: text(PackageResources.step_0009_rejections_sql)),
        Migration(
            number: 10,
            name: "context_counts",
            sql: text(PackageResources.step_0010_context_counts_sql)
        ),
        Migration(number: 11, name: "retention", sql: text(PackageResources.step_0011_retention_sql)),
        Migration(number: 12, name: "app_changes", sql: text(PackageResources.step_0012_app_changes_sql)),
        Migration(
            number: 13,
            name: "identity_changes",
            sql: text(PackageResources.step_0013_identity_changes_sql)
        ),
        Migration(number: 14, name: "console", sql: text(PackageResources.step_0014_console_sql)),
        Migration(
            number: 15,
            name: "reader_instances",
            sql: text(PackageResources.step_0015_reader_instances_sql)
        ),
        Migration(
            number: 16,
            name: "changes_apart",
            sql: text(PackageResources.step_0016_changes_apart_sql)
        ),
    ]

    /// The step the services of this version need at least.
    public static var latest: Int { migrations.last?.number ?? 0 }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
