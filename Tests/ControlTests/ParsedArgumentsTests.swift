import Testing

@testable import ControlCore

@Suite struct ParsedArgumentsTests {
    private static let command = CommandSpec(
        words: ["thing", "make"],
        summary: "Makes a thing",
        options: [
            .value("name", "NAME", required: true, "its name"),
            .value("tag", "TAG", repeats: true, "a tag"),
            .value("size", "N", "its size"),
            .flag("dry-run", "only say what would be done"),
        ],
        positionals: ["FILE"]
    ) { _, _ in CommandResult(text: "", json: []) }

    private func parse(_ arguments: String...) throws(CommandFailure) -> ParsedArguments {
        try ParsedArguments(arguments, for: Self.command)
    }

    private func failure(_ arguments: String...) -> String? {
        do throws(CommandFailure) {
            _ = try ParsedArguments(arguments, for: Self.command)
            return nil
        } catch {
            return "\(error.exitCode) \(error)"
        }
    }

    @Test(arguments: [["--name", "x"], ["--name=x"]]) func aValueFollowsOrIsJoined(spelling: [String]) throws
    {
        let parsed = try ParsedArguments(spelling + ["f"], for: Self.command)

        #expect(parsed.first("name") == "x")
    }

    @Test func aJoinedValueMayHoldAnEqualsSign() throws {
        #expect(try parse("--name=a=b", "f").first("name") == "a=b")
    }

    @Test func aJoinedValueMayBeEmpty() throws {
        #expect(try parse("--name=", "f").first("name")?.isEmpty == true)
    }

    @Test func repeatedValuesKeepTheirOrder() throws {
        #expect(try parse("--name", "x", "--tag", "b", "f", "--tag=a").all("tag") == ["b", "a"])
    }

    @Test func aFlagIsThereOrNot() throws {
        #expect(try parse("--name", "x", "--dry-run", "f").has("dry-run"))
        #expect(try !parse("--name", "x", "f").has("dry-run"))
    }

    @Test func positionalsMayStandAnywhere() throws {
        #expect(try parse("f", "--name", "x").positionals == ["f"])
    }

    @Test func aDashAloneIsAPositional() throws {
        #expect(try parse("--name", "x", "-").positionals == ["-"])
    }

    @Test func whatIsNotGivenIsEmpty() throws {
        let parsed = try parse("--name", "x", "f")

        #expect(parsed.first("size") == nil)
        #expect(parsed.all("tag").isEmpty)
    }

    @Test func anUnknownOptionIsNamed() {
        #expect(failure("--name", "x", "--nmae", "y", "f") == "64 thing make has no option --nmae")
    }

    @Test func aMissingValueIsNamed() {
        #expect(failure("f", "--name") == "64 --name needs a value: NAME")
    }

    @Test func aMissingOptionIsNamed() {
        #expect(failure("f") == "64 thing make needs --name NAME")
    }

    @Test func onceMeansOnce() {
        #expect(failure("--name", "x", "--name", "y", "f") == "64 --name may be given once")
    }

    @Test func aFlagTakesNoValue() {
        #expect(failure("--name", "x", "--dry-run=yes", "f") == "64 --dry-run takes no value")
    }

    @Test func tooFewPositionals() {
        #expect(failure("--name", "x") == "64 thing make takes FILE")
    }

    @Test func tooManyPositionals() {
        #expect(failure("--name", "x", "f", "g") == "64 thing make takes FILE")
    }

    @Test(arguments: [(nil, 7), ("1", 1), ("10", 10)] as [(String?, Int)])
    func aWholeNumberInItsRange(text: String?, value: Int) throws {
        let arguments = ["--name", "x", "f"] + (text.map { ["--size", $0] } ?? [])
        let parsed = try ParsedArguments(arguments, for: Self.command)

        #expect(try parsed.integer("size", default: 7, in: 1...10) == value)
    }

    @Test(arguments: ["0", "11", "x", "", "1.0", "1e1", " 1", "99999999999999999999"])
    func anythingElseIsNoSuchNumber(text: String) throws {
        let parsed = try ParsedArguments(["--name", "x", "f", "--size", text], for: Self.command)

        do throws(CommandFailure) {
            _ = try parsed.integer("size", default: 7, in: 1...10)
            Issue.record("taken")
        } catch {
            #expect("\(error)" == "--size must be a whole number in 1...10, not '\(text)'")
            #expect(error.exitCode == 64)
        }
    }
}
