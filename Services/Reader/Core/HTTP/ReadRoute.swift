import Contracts
import HTTP

/// The operations of the Read API, found by path.
enum ReadRoute: Equatable {
    /// The reference of this API, for everybody.
    case document
    case apps
    /// An app id that is no UUID is nil: it names no app, which only those with a key are told.
    case app(UUID128?)
    case summary(UUID128?)
    case timeseries(UUID128?)
    case rollingActive(UUID128?)
    case breakdown(UUID128?)
    case retention(UUID128?)
    case portfolio
    case direct(DirectRoute)

    /// Nil when nothing is there.
    ///
    /// - Throws: `invalid_request` for a path that is no text.
    static func find(_ path: String) throws(ReadRefusal) -> ReadRoute? {
        let segments: [String]
        do throws(HTTPDecodingError) {
            segments = try HTTPPath.segments(path)
        } catch {
            throw ReadRefusal(.invalidRequest, field: "path")
        }
        guard segments != ["openapi.json"] else { return .document }
        if segments == ["v1", "portfolio"] { return .portfolio }
        if let route = DirectRoute.find(segments) { return .direct(route) }
        guard segments.count >= 2, segments[0] == "v1", segments[1] == "apps" else { return nil }
        guard segments.count > 2 else { return .apps }
        let id = UUID128(segments[2])
        // As segments: a slash that is written %2F belongs to a name and divides nothing.
        switch Array(segments[3...]) {
        case [], [""]: return .app(id)
        case ["audience", "summary"]: return .summary(id)
        case ["audience", "timeseries"]: return .timeseries(id)
        case ["audience", "rolling-active"]: return .rollingActive(id)
        case ["audience", "breakdown"]: return .breakdown(id)
        case ["retention"]: return .retention(id)
        default: return nil
        }
    }
}
