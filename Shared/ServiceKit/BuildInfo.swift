/// What this build is called, in logs, metrics, `/version` and `--version`.
public enum BuildInfo {
    /// The one place that names the release: CHANGELOG.md has the same number at its top.
    public static let version = "0.1.0"

    /// Tells a debug build in production from a release build.
    public static let build: String = {
        #if DEBUG
            return "debug"
        #else
            return "release"
        #endif
    }()
}
