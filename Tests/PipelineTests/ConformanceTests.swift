import Testing

extension PipelineTests {
    /// The contract of ingest, line by line, against the running executable: the suites inside share one.
    @Suite(.conformance, .serialized) struct ConformanceTests {}
}
