import Foundation
import Testing

/// What the pipeline tests need from outside.
enum TestSetting {
    private static let environment = ProcessInfo.processInfo.environment

    static let areServersThere =
        environment["TEST_DATABASE_URL"] != nil && environment["TEST_KAFKA_BROKERS"] != nil
        && environment["FOREGROUND_BIN_DIR"] != nil

    static func databaseURL() throws -> String { try value("TEST_DATABASE_URL") }
    static func brokers() throws -> String { try value("TEST_KAFKA_BROKERS") }
    static func executable(_ name: String) throws -> String { try value("FOREGROUND_BIN_DIR") + "/" + name }
    /// The program of the development broker, to start one that a test may stop.
    static let brokerProgram = environment["TEST_BROKER_BIN"]
    /// Has the packages of deploy/lib/requirements-{test,browser}.txt.
    static let python = environment["TEST_PYTHON"]

    private static func value(_ name: String) throws -> String {
        try #require(environment[name], "set \(name)")
    }
}

/// Everything that starts the real executables.
///
/// One suite after another, because each starts several processes.
@Suite(
    .serialized,
    .enabled(if: TestSetting.areServersThere, "set TEST_DATABASE_URL, TEST_KAFKA_BROKERS, FOREGROUND_BIN_DIR")
)
enum PipelineTests {}
