/// Digits of dates and times, written straight into a string's memory.
enum DateText {
    static func write(_ year: Int, _ month: Int, _ day: Int, to buffer: UnsafeMutableBufferPointer<UInt8>)
        -> Int
    {
        pair(year / 100, to: buffer, at: 0)
        pair(year % 100, to: buffer, at: 2)
        buffer[4] = UInt8(ascii: "-")
        pair(month, to: buffer, at: 5)
        buffer[7] = UInt8(ascii: "-")
        pair(day, to: buffer, at: 8)
        return 10
    }

    static func pair(_ value: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
        buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
        buffer[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
    }
}
