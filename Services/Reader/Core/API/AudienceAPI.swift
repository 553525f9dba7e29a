/// A report over closed days: what it asks for, what it needs to see, and what it answers.
protocol AudienceAPI: Sendable {
    init(_ query: inout QueryParameters) throws(ReadRefusal)
    var parameters: ReportParameters { get }
    var request: SnapshotRequest { get }
    func answer(_ snapshot: ReportSnapshot) -> [UInt8]
    /// The same figures as a table in CSV.
    func table(_ snapshot: ReportSnapshot) -> [UInt8]
    /// Begins the name of the file that the table is saved in.
    static var tableName: String { get }
}
