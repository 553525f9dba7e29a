/// The topics of the system and the rules their creation follows.
public enum Topics {
    public static let eventsDefault = "foreground.events"
    public static let rejectionsDefault = "foreground.rejections"
    public static let partitionsDefault = 6
    /// How long operators can go back to replay; the suppression ledger outlives it.
    public static let eventsRetentionMs: Int64 = 30 * 86_400_000
    public static let rejectionsRetentionMs: Int64 = 7 * 86_400_000
    /// What a message may hold at most, below every broker's default of a mebibyte.
    public static let messageBytesMax = 1_000_000
}
