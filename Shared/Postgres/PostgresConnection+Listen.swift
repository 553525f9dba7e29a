extension PostgresConnection {
    /// Asks for notifications of `channel`, from the commit of the surrounding transaction on.
    public func listen(_ channel: String) throws {
        let quoted = channel.replacing("\"", with: "\"\"")
        _ = try command("LISTEN \"\(quoted)\"")
    }

    /// The next notification, or nil when none came within `ms`.
    ///
    /// It occupies the connection while waiting, so give a listener a connection of its own. Notifications
    /// sent while nobody waited are kept. A lost connection throws; the listener must then read anew what it
    /// may have missed.
    public func waitForNotification(ms: Int) throws -> PostgresNotification? {
        try withLink { try $0.notification(until: Deadline(afterMs: max(0, ms))) }
    }
}
