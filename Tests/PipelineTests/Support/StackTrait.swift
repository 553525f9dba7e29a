import Testing

/// Gives a suite one stack that all its tests share; each test makes apps of its own in it.
struct StackTrait: SuiteTrait, TestScoping {
    let services: [ServiceName]

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Stack.run(services) { stack in
            try await Stack.$current.withValue(stack) { try await function() }
        }
    }
}

extension Trait where Self == StackTrait {
    static func stack(_ services: ServiceName...) -> Self { StackTrait(services: services) }
}

extension Stack {
    @TaskLocal static var current: Stack?

    /// The stack of the suite.
    static func shared() throws -> Stack { try #require(current) }
}
