public import GeoIP
public import ServiceKit
import Synchronization

/// The geo database of a file that operators replace from time to time.
///
/// A new file is opened beside the old one and taken over at once; one that cannot be opened leaves the old one in use and is logged.
public final class GeoSource: Component {
    public let name = "geo"

    private let path: String?
    private let database: Mutex<GeoDatabase?>
    private let facts: Mutex<FileFacts?>
    private let logger: Logger
    private let isStopping = Atomic(false)
    private static let lookMs = 5_000
    private static let stopCheckMs = 100

    /// Without a path there is no database, and country and city stay unknown.
    ///
    /// - Throws: `GeoDatabaseError` when the file cannot be used: a service that starts without it would lose places silently.
    public init(path: String?, logger: Logger) throws {
        self.path = path
        self.logger = logger
        // Looked at before it is opened: a file that is replaced in between is seen as new by the first refresh.
        facts = Mutex(path.flatMap { fileFacts($0) })
        database = Mutex(try path.map { try GeoDatabase(path: $0) })
    }

    /// One database for good.
    init(database: GeoDatabase?) {
        path = nil
        logger = .silent
        self.database = Mutex(database)
        facts = Mutex(nil)
    }

    /// The database in use; callers keep it for one batch.
    public var current: GeoDatabase? { database.withLock { $0 } }

    public func run() async throws {
        var waitedMs = 0
        while !isStopping.load(ordering: .relaxed) {
            try? await Task.sleep(for: .milliseconds(Self.stopCheckMs))
            waitedMs += Self.stopCheckMs
            guard waitedMs >= Self.lookMs else { continue }
            waitedMs = 0
            refresh()
        }
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// Opens the file again if it is another one than before.
    func refresh() {
        guard let path, let now = fileFacts(path), now != facts.withLock({ $0 }) else { return }
        do throws(GeoDatabaseError) {
            let fresh = try GeoDatabase(path: path)
            database.withLock { $0 = fresh }
            logger.info("geo_database_loaded", [.file: path])
        } catch {
            logger.error("geo_database_unusable", [.file: path, .error: error.description])
        }
        // Remembered either way: the same broken file is not opened again and again.
        facts.withLock { $0 = now }
    }
}
