import Contracts
import Testing

@testable import IngestCore

/// `context.platform` of the event, of the batch, the key's, the app's only one, `other`.
@Suite struct PlatformTests {
    private static let many = RegisteredApp.test(platforms: [.ios, .android, .web])

    private func platform(
        event: String? = nil,
        batch: String? = nil,
        key: Platform? = nil,
        app: RegisteredApp = many
    ) throws -> Platform? {
        let event = EventText.start { $0["context"] = event.map { #"{"platform":"\#($0)"}"# } }
        let resolved = try context(of: event, key: .test(platform: key, app: app)) {
            $0["context"] = batch.map { #"{"platform":"\#($0)"}"# }
        }
        return resolved?.context.platform
    }

    @Test func theEventsComesFirst() throws {
        #expect(try platform(event: "web", batch: "android", key: .ios) == .web)
    }

    @Test func thenTheBatchs() throws {
        #expect(try platform(batch: "android", key: .ios) == .android)
    }

    @Test func thenTheKeys() throws {
        #expect(try platform(key: .ios) == .ios)
    }

    @Test func theKeysBeforeTheAppsOnlyOne() throws {
        #expect(try platform(key: .ios, app: .test(platforms: [.web])) == .ios)
    }

    @Test func thenTheAppsOnlyOne() throws {
        #expect(try platform(app: .test(platforms: [.server])) == .server)
    }

    @Test func elseOther() throws {
        #expect(try platform() == .other)
    }

    @Test func anAppWithoutPlatformsHasNoOnlyOne() throws {
        #expect(try platform(app: .test(platforms: [])) == .other)
    }

    @Test func onlyTheLastStepWarns() throws {
        let one = try judge(
            BatchText.of([EventText.start()]),
            key: .test(platform: nil, app: .test(platforms: [.server]))
        )
        #expect(one.warnings.isEmpty)
    }

    @Test func otherGivenByTheClientDoesNotWarn() throws {
        let batch = BatchText.of([EventText.start()]) { $0["context"] = #"{"platform":"other"}"# }

        #expect(try judge(batch, key: .test(platform: nil, app: Self.many)).warnings.isEmpty)
    }

    @Test(arguments: Platform.allCases) func everyPlatformIsTakenEvenOutsideTheApps(platform: Platform) throws
    {
        #expect(try self.platform(event: platform.rawValue, app: .test(platforms: [.bot])) == platform)
    }

    @Test(arguments: ["tvos", "iOS", "IOS", " ios", "ios ", "watchos", "fuchsia", #"ios\u0000"#, "unknown"])
    func othersAreInvalid(text: String) throws {
        let event = EventText.start { $0["context"] = #"{"platform":"\#(text)"}"# }

        #expect(try outcome(event) == "invalid_field events[0].context.platform")
    }
}

@Suite struct DeviceTypeTests {
    @Test(arguments: DeviceType.allCases) func everyTypeIsTaken(type: DeviceType) throws {
        let event = EventText.start { $0["context"] = #"{"device_type":"\#(type.rawValue)"}"# }

        #expect(try context(of: event)?.context.deviceType == type)
    }

    @Test(arguments: ["Phone", "console", "smarttv", "phone ", "car"]) func othersAreInvalid(text: String)
        throws
    {
        let event = EventText.start { $0["context"] = #"{"device_type":"\#(text)"}"# }

        #expect(try outcome(event) == "invalid_field events[0].context.device_type")
    }
}

@Suite struct EnvironmentTests {
    @Test(arguments: AppEnvironment.allCases) func bothAreTaken(environment: AppEnvironment) throws {
        let event = EventText.start { $0["context"] = #"{"environment":"\#(environment.rawValue)"}"# }

        #expect(try context(of: event)?.context.environment == environment)
    }

    @Test func productionIsTheDefault() throws {
        #expect(try context(of: EventText.start())?.context.environment == .production)
    }

    @Test(arguments: ["Production", "dev", "staging", "prod", "development "])
    func othersAreInvalid(text: String) throws {
        let event = EventText.start { $0["context"] = #"{"environment":"\#(text)"}"# }

        #expect(try outcome(event) == "invalid_field events[0].context.environment")
    }
}
