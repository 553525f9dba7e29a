import Contracts
import Testing

/// The codes are a contract with clients: this file repeats them on purpose, so that a rename fails here first.
@Suite struct CatalogueTests {
    @Test func rejectionCodes() {
        let codes = RejectionCode.allCases.map { "\($0.rawValue) \($0.isRetryable)" }
        #expect(
            codes == [
                "missing_field false", "invalid_field false", "unknown_event_name false",
                "duration_required false",
                "event_too_old false", "user_id_looks_like_pii false", "install_rate_limited true",
            ]
        )
    }

    @Test func warningCodes() {
        #expect(
            WarningCode.allCases.map(\.rawValue) == [
                "timestamp_in_future_clamped", "duplicate_insert_id_in_batch", "geo_ip_invalid",
                "platform_missing",
            ]
        )
    }

    @Test func ingestErrorsWithTheirStatus() {
        #expect(
            IngestErrorCode.allCases.map { "\($0.status) \($0.rawValue)" } == [
                "400 invalid_json", "400 invalid_batch", "400 unsupported_content_encoding",
                "401 missing_app_key",
                "401 invalid_app_key", "403 app_archived", "413 payload_too_large",
                "415 unsupported_media_type",
                "429 app_rate_limited", "500 internal_error", "503 storage_unavailable",
            ]
        )
    }

    @Test func readErrorsWithTheirStatus() {
        #expect(
            ReadErrorCode.allCases.map { "\($0.status) \($0.rawValue)" } == [
                "400 invalid_request", "400 range_too_large", "401 unauthenticated", "403 insufficient_scope",
                "404 app_not_found", "404 not_found", "405 method_not_allowed", "429 rate_limited",
                "500 internal_error", "503 storage_unavailable",
            ]
        )
    }

    @Test func vocabularyOfTheContract() {
        #expect(
            Platform.allCases.map(\.rawValue) == [
                "ios", "android", "web", "macos", "windows", "linux", "bot", "server", "other",
            ]
        )
        #expect(
            DeviceType.allCases.map(\.rawValue) == [
                "phone", "tablet", "desktop", "tv", "watch", "server", "bot", "unknown",
            ]
        )
    }

    @Test func everyTextIsThereInBothLanguages() {
        let texts =
            RejectionCode.allCases.map(\.message) + WarningCode.allCases.map(\.message)
            + IngestErrorCode.allCases.map(\.message) + ReadErrorCode.allCases.map(\.message)
            + RouteErrorCode.allCases.map(\.message)
        for text in texts {
            #expect(!text.en.isEmpty)
            #expect(text.ru.unicodeScalars.contains { ("а"..."я").contains($0) }, "\(text.en)")
        }
    }
}

@Suite struct MessageLanguageTests {
    @Test(arguments: [
        (nil, MessageLanguage.english), ("", .english), ("ru", .russian),
        ("ru-RU,ru;q=0.9,en;q=0.8", .russian),
        ("en-US,en;q=0.9,ru;q=0.8", .english), ("de", .english), ("ru;q=0", .english),
        ("fr, ru;q=0.3", .russian),
        ("ru;q=x", .russian), (";;;,,,", .english),
    ])
    func followsTheWeights(header: String?, language: MessageLanguage) {
        #expect(MessageLanguage(acceptLanguage: header) == language)
    }
}
