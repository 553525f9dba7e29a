import Glibc

/// Why a file could not be read or written.
public enum FileError: Error, Sendable, Equatable, CustomStringConvertible {
    case system(operation: String, path: String, code: Int32)
    case tooLarge(path: String, bytesMax: Int)

    /// True when there is simply no such file, which a first start expects.
    public var isMissing: Bool {
        guard case .system(_, _, let code) = self else { return false }
        return code == ENOENT
    }

    public var description: String {
        switch self {
        case .system(let operation, let path, let code):
            return "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        case .tooLarge(let path, let bytesMax):
            return "\(path) is larger than \(bytesMax) bytes"
        }
    }
}
