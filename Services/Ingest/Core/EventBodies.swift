import Contracts

/// Bounds on what is read from a connection.
enum EventBodies {
    /// Gzip in stored mode adds five bytes to each 64 KiB, and members add headers; this leaves ample room and still no bomb.
    static let receivedBytesMax = EventLimits.bodyBytesMax + 65_536
}
