import Glibc

/// The target of this process.
private let target: FuzzTarget = {
    let name = getenv("FOREGROUND_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("FOREGROUND_FUZZ_TARGET is '\(name)' and none of: \(names)")
    }
    return target
}()

/// What libFuzzer calls with each input; its own `main` does the rest.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(target.rawValue): \(error)")
    }
    return 0
}
