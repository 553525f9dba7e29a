import Crypto
import Testing

@Suite struct ScryptTests {
    static let cheap = Scrypt.Cost(logN: 4, r: 8, p: 1)

    /// RFC 7914, section 12.
    @Test(arguments: [
        (
            "", "", 4, 1, 1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17"
                + "e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        (
            "password", "NaCl", 10, 8, 16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830da"
                + "c727afb94a83ee6d8360cbdfa2cc0640"
        ),
        (
            "pleaseletmein", "SodiumChloride", 14, 8, 1,
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9"
                + "e61e85dc0d651e40dfcf017b45575887"
        ),
    ])
    func matchesRFC7914(password: String, salt: String, logN: Int, r: Int, p: Int, key: String) throws {
        let cost = Scrypt.Cost(logN: logN, r: r, p: p)
        let derived = Scrypt.derive(Array(password.utf8), salt: Array(salt.utf8), cost: cost, count: 64)
        #expect(Hex.encode(try #require(derived)) == key)
    }

    @Test func verifiesItsOwnHash() {
        let hash = Scrypt.hash(password: "pässwörd", cost: Self.cheap)
        #expect(Scrypt.verify(password: "pässwörd", against: hash))
        #expect(!Scrypt.verify(password: "passwort", against: hash))
        #expect(!Scrypt.verify(password: "", against: hash))
    }

    @Test func hashesOfOnePasswordDiffer() {
        #expect(Scrypt.hash(password: "a", cost: Self.cheap) != Scrypt.hash(password: "a", cost: Self.cheap))
    }

    @Test func theHashNamesItsCost() throws {
        let hash = Scrypt.hash(password: "a", cost: Self.cheap)
        let form = try #require(
            try Regex(#"\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}"#).wholeMatch(in: hash)
        )
        #expect(form.output.count == 1)
    }

    @Test(arguments: [
        "", "a", "$scrypt$", "$scrypt$ln=4,r=8,p=1$$",
        "$scrypt$ln=40,r=8,p=1$c2FsdHNhbHQ$MDEyMzQ1Njc4OWFiY2RlZg",
        "$scrypt$ln=4,r=8$c2FsdHNhbHQ$MDEyMzQ1Njc4OWFiY2RlZg",
        "$scrypt$ln=4,p=1,r=8$c2FsdHNhbHQ$MDEyMzQ1Njc4OWFiY2RlZg",
        "$argon2id$ln=4,r=8,p=1$c2FsdHNhbHQ$MDEyMzQ1Njc4OWFiY2RlZg",
        "$scrypt$ln=20,r=32,p=16$c2FsdHNhbHQ$MDEyMzQ1Njc4OWFiY2RlZg",
        "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHQ=$MDEyMzQ1Njc4OWFiY2RlZg",
        "$scrypt$ln=+4,r=8,p=1$c2FsdHNhbHQ$MDEyMzQ1Njc4OWFiY2RlZg",
    ])
    func aTextThatIsNoHashMatchesNothing(text: String) {
        #expect(!Scrypt.verify(password: "", against: text))
    }

    @Test func asksForANewHashWhenCostsDiffer() {
        let hash = Scrypt.hash(password: "a", cost: Self.cheap)
        #expect(!Scrypt.needsRehash(hash, cost: Self.cheap))
        #expect(Scrypt.needsRehash(hash))
        #expect(Scrypt.needsRehash("junk"))
    }
}
