import Contracts
import HTTP

/// The operations of the Read API, found by path.
enum ReadRoute: Equatable {
    case apps
    case app(UUID128)
    case summary(UUID128)
    case timeseries(UUID128)

    /// Nil when nothing is there; an app id that is no UUID names no app.
    ///
    /// - Throws: `app_not_found`.
    static func find(_ path: String) throws(ReadRefusal) -> ReadRoute? {
        let segments: [String]
        do throws(HTTPDecodingError) {
            segments = try HTTPPath.segments(path)
        } catch {
            throw ReadRefusal(.invalidRequest, field: "path")
        }
        guard segments.count >= 2, segments[0] == "v1", segments[1] == "apps" else { return nil }
        guard segments.count > 2 else { return .apps }
        let make: (UUID128) -> ReadRoute
        switch segments[3...].joined(separator: "/") {
        case "": make = ReadRoute.app
        case "audience/summary": make = ReadRoute.summary
        case "audience/timeseries": make = ReadRoute.timeseries
        default: return nil
        }
        guard let id = UUID128(segments[2]) else { throw ReadRefusal(.appNotFound) }
        return make(id)
    }
}
