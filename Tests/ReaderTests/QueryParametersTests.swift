import Calendar
import Contracts
import Testing

@testable import ReaderCore

@Suite struct QueryParametersTests {
    @Test(arguments: [nil, "", "&", "&&"] as [String?])
    func nothingIsNoParameters(raw: String?) throws {
        let query = try QueryParameters(raw)
        try query.finish()
    }

    @Test func parameterNobodyAskedForIsRefusedByItsName() throws {
        var query = try QueryParameters("platform=ios&platfrom=ios")
        _ = query.values("platform")
        #expect(refusal(query.finish) == ReadRefusal(.invalidRequest, field: "platfrom"))
    }

    @Test func namesAreCaseSensitive() throws {
        var query = try QueryParameters("From=2026-01-01")
        #expect(try query.value("from") == nil)
        #expect(refusal(query.finish)?.field == "From")
    }

    @Test func repeatedParameterIsRefused() throws {
        var query = try QueryParameters("from=2026-01-01&from=2026-01-01")
        #expect(
            refusal { () throws(ReadRefusal) in _ = try query.value("from") }
                == ReadRefusal(.invalidRequest, field: "from")
        )
    }

    @Test func valuesKeepTheirOrderAndRepeats() throws {
        var query = try QueryParameters("v=1&w=x&v=2&v=1&v=")
        #expect(query.values("v") == ["1", "2", "1", ""])
    }

    @Test(arguments: ["a=%zz", "a=%", "a=%4", "%zz=1", "a=%00", "a%00b=1", "a=%ff", "a=%C3"])
    func whatIsNoTextIsRefused(raw: String) {
        #expect(
            refusal { () throws(ReadRefusal) in _ = try QueryParameters(raw) }
                == ReadRefusal(.invalidRequest, field: "query")
        )
    }

    @Test(arguments: [
        ("country=iPhone14%2C5", "iPhone14,5"), ("country=a%2Cb,c", "a,b,c"), ("country=A%26B%3DC", "A&B=C"),
        ("country=EU+-+A+%7C+B", "EU - A | B"), ("country=100%25", "100%"), ("country=a%252Fb", "a%2Fb"),
        ("country=O'Neil%20%22x%22%20%5C", #"O'Neil "x" \"#), ("country=x%20", "x "), ("country", ""),
    ])
    func valueIsDecodedOnceAndNeverSplit(raw: String, expected: String) throws {
        var query = try QueryParameters(raw)
        #expect(query.values("country") == [expected])
    }

    @Test(arguments: [(nil, false), ("x=true", true), ("x=false", false)] as [(String?, Bool)])
    func flag(raw: String?, expected: Bool) throws {
        var query = try QueryParameters(raw)
        #expect(try query.flag("x") == expected)
    }

    @Test(arguments: ["x=1", "x=True", "x=", "x", "x=yes", "x=true&x=true"])
    func flagThatIsNeitherIsRefused(raw: String) throws {
        var query = try QueryParameters(raw)
        #expect(refusal { () throws(ReadRefusal) in _ = try query.flag("x") }?.field == "x")
    }

    @Test(arguments: [
        "from=2026-02-29", "from=20261130", "from=2026-13-01", "from=2026-00-10", "from=2026-1-1", "from=",
        "from=2026-01-01T00:00:00Z", "from=+2026-01-01", "from=0000-01-01", "from=today", "",
    ])
    func dateThatIsNoneIsRefused(raw: String) throws {
        var query = try QueryParameters(raw)
        #expect(
            refusal { () throws(ReadRefusal) in _ = try query.day("from") }
                == ReadRefusal(.invalidRequest, field: "from")
        )
    }

    @Test func leapDayIsADate() throws {
        var query = try QueryParameters("from=2028-02-29")
        #expect(try query.day("from") == LocalDay(year: 2028, month: 2, day: 29))
    }

    @Test(arguments: ["unit=Persons", "unit=", "unit=people", "unit=persons&unit=installs"])
    func choiceThatIsNoneIsRefused(raw: String) throws {
        var query = try QueryParameters(raw)
        let refused = refusal { () throws(ReadRefusal) in
            let _: ReportUnit = try query.choice("unit", default: .persons)
        }
        #expect(refused == ReadRefusal(.invalidRequest, field: "unit"))
    }
}
