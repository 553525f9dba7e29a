import Glibc

/// The process's limit of open files, sockets included.
enum OpenFiles {
    /// Raises the soft limit as far as the hard one allows; lowers nothing.
    static func allow(_ count: Int) {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return }
        let wanted = min(rlim_t(clamping: count), limits.rlim_max)
        guard limits.rlim_cur < wanted else { return }
        limits.rlim_cur = wanted
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    }
}
