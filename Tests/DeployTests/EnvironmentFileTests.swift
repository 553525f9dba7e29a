import AggregatorCore
import ConsoleCore
import Foundation
import IngestCore
import ReaderCore
import ServiceKit
import Testing

/// The files in `deploy/` repeat every default, so that an operator finds all settings in one place; here they are compared with the code.
@Suite struct EnvironmentFileTests {
    static let catalogues: [(service: String, settings: [Setting])] = [
        ("ingest", catalogue { _ = IngestSettings(&$0) }),
        ("aggregator", catalogue { _ = AggregatorSettings(&$0) }),
        ("reader", catalogue { _ = ReaderSettings(&$0) }),
        ("console", catalogue { _ = ConsoleSettings(&$0) }),
    ]

    static func catalogue(_ read: (inout SettingsReader) -> Void) -> [Setting] {
        var reader = SettingsReader([:])
        read(&reader)
        return reader.catalogue
    }

    /// What `runService` reads for every service.
    static func common(_ service: String) -> [String: String] {
        ["LOG_LEVEL": "info", "\(service.uppercased())_DRAIN_MS": "20000"]
    }

    static func lines(of service: String) throws -> [String: String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../deploy/\(service).env")
        let text = try String(contentsOf: file, encoding: .utf8)
        let pairs = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test(arguments: catalogues.map(\.service))
    func fileRepeatsEveryDefault(service: String) throws {
        let settings = try #require(Self.catalogues.first { $0.service == service }?.settings)
        let lines = try Self.lines(of: service)
        for setting in settings where !setting.isSecret && !setting.isRequired {
            #expect(lines[setting.name] == setting.fallback ?? "", "\(setting.name)")
        }
        for (name, value) in Self.common(service) { #expect(lines[name] == value, "\(name)") }
    }

    @Test(arguments: catalogues.map(\.service))
    func fileNamesNothingElse(service: String) throws {
        let settings = try #require(Self.catalogues.first { $0.service == service }?.settings)
        let known = Set(settings.map(\.name)).union(Self.common(service).keys)
        #expect(try Set(Self.lines(of: service).keys).subtracting(known) == [])
    }

    @Test(arguments: catalogues.map(\.service))
    func everySettingHasHelp(service: String) throws {
        let settings = try #require(Self.catalogues.first { $0.service == service }?.settings)
        for setting in settings { #expect(setting.help.hasSuffix("."), "\(setting.name)") }
    }
}
