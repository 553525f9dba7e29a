import Glibc

/// Paths of the regular files below a folder, relative to it and in order; what is hidden is left out.
///
/// - Parameter depthMax: how many folders deep is looked.
public func listFiles(below path: String, depthMax: Int = 4) throws(FileError) -> [String] {
    // A folder that cannot be opened is told apart from an empty one by this.
    _ = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard !name.hasPrefix(".") else { continue }
        switch Int(entry.pointee.d_type) {
        case DT_REG, DT_LNK: names.append(name)
        case DT_DIR where depthMax > 1:
            names += try listFiles(below: path + "/" + name, depthMax: depthMax - 1).map { name + "/" + $0 }
        default: break
        }
    }
    return names.sorted()
}
