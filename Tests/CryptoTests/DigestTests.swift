import Crypto
import Testing

@Suite struct DigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256MatchesFIPS180(text: String, digest: String) {
        #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == digest)
    }

    /// RFC 4231, cases 1, 2, 3, 6 and 7.
    static let codes: [(key: [UInt8], message: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8
            ),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(arguments: codes)
    func hmacMatchesRFC4231(key: [UInt8], message: [UInt8], code: String) {
        let hmac = HMACSHA256(key: key)
        #expect(Hex.encode(hmac.code(for: message)) == code)
        #expect(Hex.encode(hmac.code(for: message)) == code, "the key can be used again")
    }

    @Test func hmacRefusesAChangedCodeOrMessage() {
        let hmac = HMACSHA256(key: [1])
        var code = hmac.code(for: [1, 2])
        #expect(hmac.isValid(code, for: [1, 2]))
        #expect(!hmac.isValid(code, for: [1, 3]))
        #expect(!hmac.isValid(Array(code.dropLast()), for: [1, 2]))
        code[31] ^= 1
        #expect(!hmac.isValid(code, for: [1, 2]))
    }

    @Test func comparesInConstantTimeByValue() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2], [1, 2]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 3]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 2, 3]))
    }
}
