/// The bounds an event and its batch must stay within.
///
/// They are part of the contract with clients, so they are constants and not settings: an app built years ago relies on them.
public enum EventLimits {
    public static let eventsMin = 1
    public static let eventsMax = 500
    /// After decompression.
    public static let bodyBytesMax = 1_048_576
    public static let durationMsMax: Int64 = 86_400_000
    public static let userIDScalarsMax = 128
    /// Inclusive: exactly seven days old is accepted.
    public static let ageMsMax: Int64 = 7 * 86_400_000
    /// Inclusive: exactly ten minutes ahead is accepted unchanged.
    public static let aheadMsMax: Int64 = 600_000
    /// How far from its start an event may lie and still belong to the session.
    public static let sessionSpanMsMax: Int64 = 25 * 3_600_000
}
