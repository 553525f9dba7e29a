import Calendar
import Foundation

/// Rows of plain little-endian numbers, as ClickHouse's `RowBinary` reads them.
final class RowFile {
    private let handle: FileHandle
    private var buffer: [UInt8] = []

    init(_ path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw BenchProblem("\(path) cannot be written") }
        self.handle = handle
    }

    /// Day, start, install, person, context, duration.
    func write(_ session: BenchSession, day: LocalDay) {
        put(UInt16(truncatingIfNeeded: day.number))
        put(session.startMs)
        put(session.install)
        put(session.person)
        put(Int32(session.context))
        put(session.durationMs)
    }

    /// Person, first event, context of it.
    func write(_ person: (person: Int32, first: BenchFirst)) {
        put(person.person)
        put(person.first.ms)
        put(Int32(person.first.context))
    }

    func close() throws {
        flush()
        try handle.close()
    }

    private func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { buffer.append(contentsOf: $0) }
        if buffer.count > 1 << 20 { flush() }
    }

    private func flush() {
        handle.write(Data(buffer))
        buffer.removeAll(keepingCapacity: true)
    }
}
