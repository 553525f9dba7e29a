import Glibc

/// Names of the regular files of a folder, in order; what is hidden is left out.
public func listFolder(_ path: String) throws(FileError) -> [String] {
    // A folder that cannot be opened is told apart from an empty one by this.
    _ = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        guard entry.pointee.d_type == DT_REG || entry.pointee.d_type == DT_LNK else { continue }
        let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}
