import Contracts
import Testing

@Suite struct UUID128Tests {
    static let text = "0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0"

    @Test func readsAndPrintsTheTextForm() {
        #expect(UUID128(Self.text)?.description == Self.text)
    }

    @Test func upperCaseIsTheSameValue() {
        #expect(UUID128(Self.text.uppercased()) == UUID128(Self.text))
    }

    @Test(arguments: [
        "", "{\(text)}", "urn:uuid:\(text)", text.filter { $0 != "-" }, String(text.dropLast()), "\(text)\n",
        " \(text)",
        text.replacing("0f", with: "0g"), text.replacing("-", with: "_"),
    ])
    func everyOtherSpellingIsRefused(spelling: String) {
        #expect(UUID128(spelling) == nil)
    }

    @Test func bytesRoundTrip() throws {
        let id = try #require(UUID128(Self.text))
        #expect(UUID128(bytes: id.bytes) == id)
        #expect(id.bytes.first == 0x0f)
        #expect(UUID128(bytes: id.bytes.dropLast()) == nil)
    }

    @Test func orderIsThatOfTheNumber() {
        #expect(UUID128(high: 1, low: 0) > UUID128(high: 0, low: .max))
    }
}
