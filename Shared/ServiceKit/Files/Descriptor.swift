import Glibc

/// An open file, closed when its owner lets go.
struct Descriptor: ~Copyable {
    let number: Int32
    let path: String

    init(opening path: String, flags: Int32, mode: mode_t = 0) throws(FileError) {
        let opened = retrying { open(path, flags | O_CLOEXEC, mode) }
        guard opened >= 0 else { throw .system(operation: "open", path: path, code: errno) }
        number = Int32(opened)
        self.path = path
    }

    deinit { close(number) }

    /// Writes all of it, however often the kernel takes only a part.
    borrowing func write(_ bytes: [UInt8]) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                retrying { Glibc.write(number, buffer.baseAddress?.advanced(by: done), buffer.count - done) }
            }
            guard count >= 0 else { throw .system(operation: "write", path: path, code: errno) }
            done += count
        }
    }

    /// Appends at most `bytesMax` more bytes to `bytes`; 0 means the end.
    borrowing func read(upTo bytesMax: Int, into bytes: inout [UInt8]) throws(FileError) -> Int {
        let chunk = min(bytesMax, 65_536)
        var code: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: chunk) { buffer, count in
            let got = retrying { Glibc.read(number, buffer.baseAddress, chunk) }
            code = got < 0 ? errno : 0
            count = max(got, 0)
        }
        guard code == 0 else { throw .system(operation: "read", path: path, code: code) }
        bytes += piece
        return piece.count
    }

    borrowing func synchronize() throws(FileError) {
        guard fsync(number) == 0 else { throw .system(operation: "fsync", path: path, code: errno) }
    }

    /// Sets the mode exactly; the one given to `open` is cut by the umask.
    borrowing func change(mode: mode_t) throws(FileError) {
        guard fchmod(number, mode) == 0 else { throw .system(operation: "chmod", path: path, code: errno) }
    }
}

/// Repeats a system call that a signal interrupted.
func retrying<Number: FixedWidthInteger>(_ call: () -> Number) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return Int(result) }
    }
}
