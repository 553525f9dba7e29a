import Calendar
import HTTP

extension AudienceAPI {
    /// The report in the form that was asked for.
    func answer(
        _ snapshot: ReportSnapshot,
        _ format: AnswerFormat,
        to head: HTTPRequestHead,
        _ query: QueryParameters
    ) -> ReadAnswer {
        let name = AnswerState.name(snapshot, request, path: head.path, query: query.query, format)
        var answer = ReadAnswer(format: format, validity: .state(name), varies: ["Accept"]) {
            switch format {
            case .json: self.answer(snapshot)
            case .csv: table(snapshot)
            }
        }
        if format == .csv {
            answer.fileName = "\(Self.tableName)_\(parameters.span.first)_\(parameters.span.last).csv"
        }
        return answer
    }
}
