public import Glibc

/// Replaces a file as a whole: a reader, or a start after a power cut, sees the old bytes or the new ones.
///
/// The bytes go to a neighbour, reach the disk, and take the name; then the directory reaches the disk too.
/// A crash in between leaves a `.name.….tmp` behind, which nothing reads.
public func atomicWriteFile(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws(FileError) {
    let (directory, name) = split(path)
    let temporary = "\(directory)/.\(name).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
    do throws(FileError) {
        let file = try Descriptor(opening: temporary, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
        try file.change(mode: mode)
        try file.write(bytes)
        try file.synchronize()
        guard rename(temporary, path) == 0 else {
            throw .system(operation: "rename to", path: path, code: errno)
        }
    } catch {
        unlink(temporary)
        throw error
    }
    try Descriptor(opening: directory, flags: O_RDONLY | O_DIRECTORY).synchronize()
}

/// Reads a whole file, or refuses it when it is larger than `bytesMax`.
public func readFile(_ path: String, bytesMax: Int) throws(FileError) -> [UInt8] {
    let file = try Descriptor(opening: path, flags: O_RDONLY)
    var bytes: [UInt8] = []
    // One byte more than allowed tells a file at the bound from one beyond it. The size in `stat` would
    // not do: files under /proc have none.
    while bytes.count <= bytesMax {
        if try file.read(upTo: bytesMax + 1 - bytes.count, into: &bytes) == 0 { return bytes }
    }
    throw .tooLarge(path: path, bytesMax: bytesMax)
}

private func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let directory = slash == path.startIndex ? "/." : String(path[..<slash])
    return (directory, String(path[path.index(after: slash)...]))
}
