import HTTP

/// The form a report is answered in.
enum AnswerFormat: String, CaseIterable {
    case json, csv

    /// What `format` says, else the more welcome by `Accept`, else JSON.
    ///
    /// A client that would take neither gets JSON too, as from all other operations: it says more than a refusal.
    init(_ query: inout QueryParameters, _ headers: HTTPHeaders) throws(ReadRefusal) {
        self = try query.choice("format", default: Self.preferred(QualityList(headers.values("Accept"))))
    }

    private static func preferred(_ accept: QualityList) -> AnswerFormat {
        let csv = accept.weight(of: "text/csv", "text/*", "*/*") ?? 0
        let json = accept.weight(of: "application/json", "application/*", "*/*") ?? 0
        // A browser's `text/*` or `*/*` is no wish for a table: it has to be named.
        return csv > json && accept.weight(of: "text/csv") != nil ? .csv : .json
    }

    var contentType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        }
    }
}
