import FoundationEssentials

/// The environment the process was started with.
///
/// `runService` and `fgctl` read it, once. Nothing below `main` asks for it.
public enum ProcessEnvironment {
    public static func read() -> [String: String] { ProcessInfo.processInfo.environment }
}
