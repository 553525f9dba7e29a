import Glibc

extension MetricRegistry {
    /// Registers what Prometheus' dashboards expect of any process, and which build this is.
    public func registerProcessMetrics(service: String, startedMs: Int64) {
        gauge("process_start_time_seconds", help: "Start of the process, seconds since 1970.") {
            Double(startedMs) / 1_000
        }
        counter("process_cpu_seconds_total", help: "User and system CPU time spent.", read: cpuSeconds)
        gauge("process_resident_memory_bytes", help: "Resident memory.", read: residentBytes)
        gauge("process_open_fds", help: "Open file descriptors.", read: openDescriptors)
        gauge("process_max_fds", help: "Most file descriptors the process may open.", read: descriptorsMax)
        gaugeFamily(
            "foreground_build_info",
            help: "Always 1; the labels say which build runs.",
            labels: ["service", "version", "build"]
        ) {
            [MetricSample([service, BuildInfo.version, BuildInfo.build], 1)]
        }
    }
}

private func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
}

private func residentBytes() -> Double {
    // "size resident shared text lib data dt", in pages.
    guard let bytes = try? readFile("/proc/self/statm", bytesMax: 4_096) else { return .nan }
    let fields = bytes.split(separator: UInt8(ascii: " "))
    guard fields.count > 1 else { return .nan }
    guard let pages = Double(String(decoding: fields[1], as: UTF8.self)) else { return .nan }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
}

private func openDescriptors() -> Double {
    guard let directory = opendir("/proc/self/fd") else { return .nan }
    defer { closedir(directory) }
    var entries = 0
    while readdir(directory) != nil { entries += 1 }
    // Less ".", ".." and the descriptor that reads the directory.
    return Double(entries - 3)
}

private func descriptorsMax() -> Double {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .nan }
    return limit.rlim_cur == rlim_t.max ? .infinity : Double(limit.rlim_cur)
}
