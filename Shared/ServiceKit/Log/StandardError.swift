import Glibc
import Synchronization

/// The process's standard error, written whole lines at a time.
public enum StandardError {
    /// Lines longer than a pipe takes at once go out in parts; the lock keeps other lines out of them.
    private static let turn = Mutex(())

    /// Writes a line with one call where the kernel lets us.
    ///
    /// What cannot be written is dropped: a full disk under the log must not stop a service.
    public static func write(_ line: [UInt8]) {
        turn.withLock { _ in writeAll(line, to: STDERR_FILENO) }
    }
}

/// Writes all bytes to a standard stream, or gives up when nobody takes them.
func writeAll(_ bytes: [UInt8], to number: Int32) {
    bytes.withUnsafeBytes { buffer in
        var done = 0
        while done < buffer.count {
            let count = retrying {
                write(number, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EAGAIN || !waitUntilWritable(number) {
                return
            }
        }
    }
}

/// Somebody may have made the stream non-blocking (a shared terminal): give its reader a second.
private func waitUntilWritable(_ number: Int32) -> Bool {
    var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    return retrying { poll(&waiting, 1, 1_000) } > 0
}

/// Writes a line to standard output at once, for what is no log line.
///
/// `print` keeps text back while standard output is a pipe or a file, as under every supervisor.
public func printNow(_ line: String) {
    writeAll(Array((line + "\n").utf8), to: STDOUT_FILENO)
}
