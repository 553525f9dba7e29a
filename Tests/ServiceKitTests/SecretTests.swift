import ServiceKit
import Testing

@Suite struct SecretTests {
    @Test func printingShowsAPlaceholder() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)

        let shown = "\(secret) \(String(reflecting: secret)) \(dumped) \([secret]) \(Optional(secret) as Any)"
        #expect(!shown.contains("hunter2"))
    }

    @Test func aProblemDoesNotShowTheValue() {
        var reader = SettingsReader(["K": "hunter2"])

        let secret = reader.secret("K", bytesMin: 32, help: "")

        #expect(secret.reveal() == "hunter2")
        #expect(reader.problems.map(\.description) == ["K is shorter than 32 bytes"])
    }

    @Test func aFileMayHoldIt() throws {
        try withTemporaryDirectory { directory in
            try atomicWriteFile("\(directory)/key", Array("from file\r\n".utf8))
            var reader = SettingsReader(["T_KEY_FILE": "\(directory)/key"])

            let secret = reader.secret("T_KEY", help: "")

            #expect(secret.reveal() == "from file")
            #expect(throws: Never.self) { try reader.finish(prefix: "T_") }
        }
    }

    @Test func aMissingFileIsAProblem() {
        var reader = SettingsReader(["K_FILE": "/nowhere/key"])

        _ = reader.secret("K", help: "")

        let expected = "K_FILE is of no use: cannot open /nowhere/key: No such file or directory"
        #expect(reader.problems.map(\.description) == [expected])
    }

    @Test func anEmptyFileIsAProblem() throws {
        try withTemporaryDirectory { directory in
            try atomicWriteFile("\(directory)/key", Array("\n".utf8))
            var reader = SettingsReader(["K_FILE": "\(directory)/key"])

            _ = reader.secret("K", help: "")

            #expect(reader.problems.map(\.description) == ["K_FILE names an empty file"])
        }
    }

    @Test func valueAndFileTogetherAreAProblem() {
        var reader = SettingsReader(["K": "a", "K_FILE": "/b"])

        _ = reader.secret("K", help: "")

        #expect(reader.problems.map(\.description) == ["K and K_FILE are both set; keep one"])
    }
}
