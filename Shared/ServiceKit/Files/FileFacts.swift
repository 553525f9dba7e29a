import Glibc

/// What tells that a file has been replaced.
public struct FileFacts: Sendable, Equatable {
    public let inode: UInt64
    public let modifiedNs: Int64
    public let bytes: Int64
}

/// Nil when there is no such file, or it may not be looked at.
public func fileFacts(_ path: String) -> FileFacts? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return FileFacts(
        inode: UInt64(facts.st_ino),
        modifiedNs: Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec),
        bytes: Int64(facts.st_size)
    )
}
