import Testing

extension PipelineTests {
    /// Goal: bad settings end a service at once with 78, and every one of them is named.
    @Suite struct BadSettingsTests {
        @Test(arguments: ServiceName.allCases)
        func everyProblemIsPrinted(name: ServiceName) async throws {
            try await withDirectory { directory in
                let prefix = name.rawValue.uppercased()
                let process = try ServiceProcess(
                    name.rawValue,
                    program: try TestSetting.executable("foreground-\(name.rawValue)"),
                    environment: [
                        "\(prefix)_METRICS_PORT": "seventy", "\(prefix)_METRICS_PROT": "1",
                        "LOG_LEVEL": "loud",
                        "\(prefix)_DRAIN_MS": "-1",
                    ],
                    logPath: directory + "/log"
                )

                #expect(try await process.exitCode() == 78)

                var expected: Set<String> = [
                    "\(prefix)_METRICS_PORT", "\(prefix)_METRICS_PROT", "LOG_LEVEL", "\(prefix)_DRAIN_MS",
                    "DATABASE_URL",
                ]
                if name == .ingest || name == .aggregator { expected.insert("KAFKA_BROKERS") }
                if name == .aggregator { expected.insert("ERASURE_HASH_KEY") }
                #expect(process.log.allSatisfy { $0["event"] == "bad_setting" })
                #expect(process.log.count == expected.count)
                #expect(Set(process.log.compactMap { $0["setting"].string }) == expected)
            }
        }
    }
}
