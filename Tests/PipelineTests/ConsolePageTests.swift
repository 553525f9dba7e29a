import Testing

extension PipelineTests {
    /// Goal: people come to their aims by the console's pages.
    ///
    /// Method: flows of Console/ in a real Chromium, each with a browser of its own and apps of its own, in one installation. They find
    /// everything by the words on screen, and fail as well when a page logs an error.
    @Suite(
        .enabled(
            if: Browser.isThere && TestSetting.python != nil,
            "install chromium and chromium-driver; set TEST_PYTHON"
        ),
        .console,
        .serialized
    )
    struct ConsolePageTests {
        private let world: ConsoleWorld

        init() throws { world = try #require(ConsoleWorld.current) }

        @Test func theShownSnippetIsSeenOnEveryPage() async throws {
            try await world.flow("first_event")
        }

        @Test func aCopiedRequestGivesTheNumberOnScreen() async throws {
            try await world.flow("copied_request")
        }

        @Test func aRevokedKeyIsRefused() async throws { try await world.flow("revoked_key") }
        @Test func aZoneIsChanged() async throws { try await world.flow("changed_zone") }
        @Test func twoAppsAreMerged() async throws { try await world.flow("merged_apps") }
        @Test func aPersonIsErased() async throws { try await world.flow("erased_person") }
        @Test func whoSignsOutReadsNothing() async throws { try await world.flow("signed_out") }

        @Test func aDeletedAccountsSessionReadsNothing() async throws {
            try await world.flow("foreign_session")
        }

        @Test func aFirstVisitIsLight() async throws { try await world.flow("first_load") }
        @Test func everyViewIsAnAddress() async throws { try await world.flow("views_are_addresses") }
        @Test func everyReportIsATable() async throws { try await world.flow("tables") }
        @Test func figuresStayWithoutANetwork() async throws { try await world.flow("network_away") }
        @Test func hostileTextsStayTexts() async throws { try await world.flow("hostile_texts") }

        @Test(arguments: ["light", "dark"]) func everythingHasNamesAndContrast(theme: String) async throws {
            try await world.flow("accessible", ["THEME": theme])
        }

        @Test func longTextsWidenNoPage() async throws { try await world.flow("long_texts") }
        @Test func everyPageIsUsableByKeyboard() async throws { try await world.flow("keyboard") }
        @Test func everyPageSpeaksRussian() async throws { try await world.flow("russian") }
    }

    /// Goal: whoever starts an installation without an account gets in by the printed link, once.
    @Suite(
        .enabled(
            if: Browser.isThere && TestSetting.python != nil,
            "install chromium and chromium-driver; set TEST_PYTHON"
        )
    )
    struct ConsoleSetupTests {
        @Test func theFirstAccountIsMadeByTheLink() async throws {
            try await ConsoleWorld.run(hasAccount: false) { world in
                try await world.flow("first_account", ["SETUP_LINK": try await world.setupLink()])
            }
        }
    }
}
