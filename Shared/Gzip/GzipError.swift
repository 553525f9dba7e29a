/// Why a body is not the gzip text of something small enough.
///
/// Retrying never helps, except after `outOfMemory`.
public enum GzipError: String, Error, Sendable, CaseIterable {
    /// More than `outputBytesMax` comes out.
    case tooLarge
    /// The end is missing, even if everything before it could be read.
    case truncated
    /// Damaged, a wrong checksum or length, or something behind the last member.
    case corrupt
    case notGzip
    case outOfMemory
}
