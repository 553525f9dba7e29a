import Crypto
import Testing

@Suite struct EncodingTests {
    @Test func hexRoundTrips() {
        let bytes = [UInt8](0...255)
        #expect(Hex.encode([0, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
        #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        #expect(Hex.decode("aBcD") == [0xAB, 0xCD])
    }

    @Test(arguments: ["a", "0g", "0x00", " 00", "00 ", "é"])
    func hexRefuses(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    /// RFC 4648, section 10, without its padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64MatchesRFC4648(plain: String, encoded: String) {
        #expect(Base64.url.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.url.decode(encoded) == Array(plain.utf8))
    }

    @Test func theAlphabetsDifferInTwoDigits() {
        #expect(Base64.url.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64.standard.encode([0xFB, 0xFF]) == "+/8")
    }

    @Test(arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm 8", "+/8", "Zm9v\n", "Zm9vY"])
    func base64RefusesOtherSpellings(text: String) {
        #expect(Base64.url.decode(text) == nil)
    }

    @Test(arguments: 0...70)
    func base64RoundTrips(count: Int) {
        let bytes = SecureRandom.bytes(count)
        #expect(Base64.url.decode(Base64.url.encode(bytes)) == bytes)
        #expect(Base64.standard.decode(Base64.standard.encode(bytes)) == bytes)
    }

    @Test func base62HasOneLengthForOneSize() {
        #expect(Base62.encode([]) == "")
        #expect(Base62.encode([0]) == "00")
        #expect(Base62.encode([61]) == "0z")
        #expect(Base62.encode([62]) == "10")
        #expect(Base62.encode([UInt8](repeating: 0, count: 16)) == String(repeating: "0", count: 22))
        #expect(Base62.encode([UInt8](repeating: 255, count: 16)) == "7n42DGM5Tflk9n8mt7Fhc7")
    }

    @Test(arguments: [0, 1, 16, 43, 500])
    func base62RandomHasTheLengthAskedFor(count: Int) {
        let text = Base62.random(count)
        #expect(text.utf8.count == count)
        #expect(Base62.isValid(text))
        #expect(!Base62.isValid(text + "-"))
    }

    @Test func base62RandomUsesEveryDigit() {
        #expect(Set(Base62.random(10_000)).count == 62)
        #expect(Base62.random(32) != Base62.random(32))
    }

    @Test func randomBytesFillTheWholeLength() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(1000).suffix(100).contains { $0 != 0 })
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
    }
}
