import Contracts
import Testing

@testable import IngestCore

@Suite struct DurationTests {
    private func durations(_ json: String) throws -> [Int64?] {
        let batch = BatchText.of([EventText.end { $0["duration_ms"] = json }])
        return try judge(batch).accepted.map(\.event.durationMs)
    }

    @Test(arguments: [
        ("0", Int64(0)), ("-0", 0), ("0.0", 0), ("-0.0", 0), ("0e5", 0), ("1", 1), ("1000", 1000),
        ("1e3", 1000),
        ("1E+3", 1000), ("1000.0", 1000), ("1000.000000", 1000), ("10000e-1", 1000), ("1.5e3", 1500),
        ("86400000", 86_400_000), ("86400000.0", 86_400_000), ("8.64e7", 86_400_000),
    ])
    func wholeNumbersAreTakenHoweverWritten(json: String, ms: Int64) throws {
        #expect(try durations(json) == [ms])
    }

    @Test(arguments: [
        "86400001", "-1", "-1.0", "0.5", "999.9999", "1e400", "-1e400", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
        "99999999999999999999999999", #""1000""#, #""""#, "true", "false", "[1000]", "{}", "[]",
    ])
    func everythingElseRejectsTheEventOnly(json: String) throws {
        let events = [EventText.start(1), EventText.end(2) { $0["duration_ms"] = json }, EventText.start(3)]

        #expect(
            try judge(BatchText.of(events)).outcomes == [
                "accepted", "invalid_field events[1].duration_ms", "accepted",
            ]
        )
    }

    @Test(arguments: ["5000", "-1", #""soon""#, "1e400"])
    func aStartsDurationIsIgnored(json: String) throws {
        let batch = BatchText.of([EventText.start { $0["duration_ms"] = json }])

        #expect(try judge(batch).accepted.map(\.event.durationMs) == [nil])
    }
}
