import Testing

extension PipelineTests {
    /// What needs every service and disturbs none of them: the suites inside share one stack.
    @Suite(.stack(.ingest, .aggregator, .reader), .serialized) struct WholeStackTests {}
}
