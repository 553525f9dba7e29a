import Testing

@testable import Kafka

/// Goal: only an empty answer that came at once delays the next fetch.
@Suite struct FetchPacingTests {
    private func pause(apiKey: Int16 = 1, bytes: Int = 283, roundTrip: Int64 = 100) -> UInt32 {
        FetchPacing.pauseMicroseconds(apiKey: apiKey, bytes: bytes, roundTripMicroseconds: roundTrip)
    }

    @Test func aQuickEmptyAnswerIsFollowedByAPause() {
        #expect(pause() > 0)
    }

    @Test func anAnswerTheBrokerHeldBackIsNot() {
        #expect(pause(roundTrip: 500_000) == 0)
    }

    @Test func anAnswerFullOfMessagesIsNot() {
        #expect(pause(bytes: 100_000) == 0)
    }

    @Test(arguments: [Int16(0), 3, 12])
    func producingAskingAndHeartbeatsAreNot(apiKey: Int16) {
        #expect(pause(apiKey: apiKey) == 0)
    }
}
