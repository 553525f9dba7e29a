import ServiceKit
import Testing

@Suite struct SettingsTests {
    enum Colour: String, CaseIterable { case red, green }

    @Test func everyProblemIsReportedAtOnce() {
        var reader = SettingsReader([
            "T_PORT": "x", "T_FLAG": "yes", "T_COLOUR": "blue", "T_WAIT": "5y", "T_LIST": "a,,b",
        ])

        _ = reader.string("T_BROKERS", help: "")
        _ = reader.integer("T_PORT", default: 1, in: 0...9, help: "")
        _ = reader.boolean("T_FLAG", default: true, help: "")
        _ = reader.choice("T_COLOUR", default: Colour.red, help: "")
        _ = reader.durationMs("T_WAIT", default: 1, in: 0...10, help: "")
        _ = reader.list("T_LIST", help: "")
        _ = reader.secret("T_TOKEN", help: "")

        #expect(
            problems(reader, prefix: "T_") == [
                "T_BROKERS is not set",
                "T_PORT must be a whole number in 0...9, not 'x'",
                "T_FLAG must be true or false, not 'yes'",
                "T_COLOUR must be one of red, green, not 'blue'",
                "T_WAIT must be milliseconds in 0...10, or a number with ms, s, m, h or d, not '5y'",
                "T_LIST must be values between commas, not 'a,,b'",
                "T_TOKEN is not set",
            ]
        )
    }

    @Test func valuesAreRead() {
        var reader = SettingsReader([
            "S": "text", "I": "7", "B": "1", "C": "green", "L": " a , b ", "P": "/var/x", "D": "90",
        ])

        #expect(reader.string("S", help: "") == "text")
        #expect(reader.integer("I", default: 1, in: 0...9, help: "") == 7)
        #expect(reader.boolean("B", default: false, help: "") == true)
        #expect(reader.choice("C", default: Colour.red, help: "") == .green)
        #expect(reader.list("L", help: "") == ["a", "b"])
        #expect(reader.path("P", help: "") == "/var/x")
        #expect(reader.durationMs("D", default: 1, in: 0...100, help: "") == 90)
        #expect(reader.problems.isEmpty)
    }

    @Test func defaultsStandInForWhatIsNotSet() {
        var reader = SettingsReader([:])

        #expect(reader.string("S", default: "d", help: "") == "d")
        #expect(reader.optionalString("O", help: "") == nil)
        #expect(reader.optionalSecret("K", help: "") == nil)
        #expect(reader.integer("I", default: 3, in: 0...9, help: "") == 3)
        #expect(reader.list("L", default: ["x"], help: "") == ["x"])
        #expect(reader.problems.isEmpty)
    }

    @Test func anEmptyValueCountsAsNotSet() {
        var reader = SettingsReader(["S": "", "I": ""])

        #expect(reader.string("S", default: "d", help: "") == "d")
        #expect(reader.integer("I", default: 3, in: 0...9, help: "") == 3)
        #expect(reader.problems.isEmpty)
    }

    @Test(arguments: [
        ("250ms", 250), ("15s", 15_000), ("10m", 600_000), ("2h", 7_200_000), ("1d", 86_400_000),
    ])
    func aDurationMayHaveAUnit(text: String, ms: Int) {
        var reader = SettingsReader(["D": text])

        #expect(reader.durationMs("D", default: 1, in: 0...100_000_000, help: "") == ms)
    }

    @Test(arguments: ["", " 5", "5 s", "-5s", "s", "9223372036854775807d", "٥s", "1.5s"])
    func whatIsNoDurationIsRefused(text: String) {
        var reader = SettingsReader(["D": text.isEmpty ? " " : text])

        _ = reader.durationMs("D", default: 1, in: 0...100_000_000, help: "")

        #expect(reader.problems.count == 1)
    }

    @Test func aMisspeltNameIsReportedWithItsNeighbour() {
        var reader = SettingsReader(["INGEST_PROT": "1", "PATH": "/bin", "INGEST_ZZZZZZZZZZZZ": "1"])
        _ = reader.integer("INGEST_PORT", default: 1, in: 0...9, help: "")

        #expect(
            problems(reader, prefix: "INGEST_") == [
                "INGEST_PROT is not a setting; did you mean INGEST_PORT?",
                "INGEST_ZZZZZZZZZZZZ is not a setting",
            ]
        )
    }

    @Test func variablesOfOthersAreLeftAlone() {
        let reader = SettingsReader([
            "INGEST_URL": "http://x", "INGEST_SERVICE_HOST": "10.0.0.1", "INGEST_SERVICE_PORT_HTTP": "80",
            "INGEST_PORT_8080_TCP_ADDR": "10.0.0.1", "INGEST_PORT": "tcp://10.0.0.1:8080",
        ])

        #expect(throws: Never.self) { try reader.finish(prefix: "INGEST_", ignoring: ["INGEST_URL"]) }
    }

    @Test func everyReadAddsARowToTheCatalogue() {
        var reader = SettingsReader([:])
        _ = reader.integer("T_PORT", default: 8080, in: 0...9_999, help: "Where to listen.")
        _ = reader.secret("T_TOKEN", help: "Opens the door.")
        _ = reader.integer("T_PORT", default: 8080, in: 0...9_999, help: "Read twice.")

        #expect(reader.catalogue.map(\.name) == ["T_PORT", "T_TOKEN"])
        #expect(reader.catalogue.map(\.fallback) == ["8080", nil])
        #expect(reader.catalogue.map(\.isRequired) == [false, true])
        #expect(reader.catalogue.first?.help == "Where to listen.")
    }

    private func problems(_ reader: SettingsReader, prefix: String) -> [String] {
        do throws(SettingsError) {
            try reader.finish(prefix: prefix)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}
