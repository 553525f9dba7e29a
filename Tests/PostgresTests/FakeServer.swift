import Foundation
import Testing

/// A server on 127.0.0.1 for one client: answers each thing it hears with the next reply, then falls silent
/// or hangs up.
///
/// It makes the failures that a real server cannot be asked for.
final class FakeServer {
    enum Ending { case silence, hangUp }

    static let loggedIn: [UInt8] = [0x52, 0, 0, 0, 8, 0, 0, 0, 0] + ready("I")
    static func done(_ command: String, status: Character = "I") -> [UInt8] {
        [0x43, 0, 0, 0, UInt8(command.utf8.count + 5)] + command.utf8 + [0] + ready(status)
    }

    private static func ready(_ status: Character) -> [UInt8] {
        [0x5A, 0, 0, 0, 5] + String(status).utf8
    }

    let url: String
    private let listener: Int32

    /// Without replies it accepts, as the kernel does for it, and never says a word.
    init(replies: [[UInt8]], then ending: Ending) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let results = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                [bind(listener, generic, size), listen(listener, 5), getsockname(listener, generic, &size)]
            }
        }
        try #require(results == [0, 0, 0])
        self.listener = listener
        url =
            "postgres://user@127.0.0.1:\(UInt16(bigEndian: address.sin_port))/x?sslmode=disable&gssencmode=disable"
        guard !replies.isEmpty else { return }
        Thread.detachNewThread { Self.serve(listener, replies, then: ending) }
    }

    /// Also wakes the thread, should it still be waiting for a client.
    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ listener: Int32, _ replies: [[UInt8]], then ending: Ending) {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        var heard = [UInt8](repeating: 0, count: 65_536)
        for reply in replies {
            guard read(client, &heard, heard.count) > 0 else { return }
            _ = write(client, reply, reply.count)
        }
        // What comes next stays without an answer. When it is silence, this ends as the client goes away.
        while read(client, &heard, heard.count) > 0, ending == .silence {}
    }
}
