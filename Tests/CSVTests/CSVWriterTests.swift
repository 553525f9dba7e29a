import CSV
import Foundation
import Testing

@Suite struct CSVWriterTests {
    private func text(_ write: (inout CSVWriter) -> Void) -> String {
        var writer = CSVWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func cell(_ value: String?) -> String { text { $0.text(value) } }

    @Test func recordsEndInBothCharacters() {
        let table = text { writer in
            writer.header(["a", "b"])
            writer.int(1)
            writer.text("x")
            writer.endRecord()
        }
        #expect(table == "a,b\r\n1,x\r\n")
    }

    @Test func plainTextStaysAsItIs() {
        for value in [
            "iPhone 15", "é", "日本", "a'b", "3.4.0", " x ", "'", "a=b", "<img src=x onerror=alert(1)>",
        ] {
            #expect(cell(value) == value)
        }
    }

    @Test func textWithSeparatorsIsQuoted() {
        #expect(cell("iPhone14,5") == "\"iPhone14,5\"")
        #expect(cell("say \"hi\"") == "\"say \"\"hi\"\"\"")
        #expect(cell("a\r\nb") == "\"a\r\nb\"")
        #expect(cell("a\nb") == "\"a\nb\"")
        #expect(cell("\"") == "\"\"\"\"")
    }

    /// B70: a spreadsheet must show what a client sent and never run it.
    @Test(arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1+1", "＋1", "－1", "＠x"])
    func whatLooksLikeAFormulaIsText(value: String) {
        #expect(cell(value) == "'" + value)
    }

    @Test func formulaWithSeparatorsIsQuotedAndText() {
        #expect(cell("=cmd|' /C calc'!A0,\"x\"") == "\"'=cmd|' /C calc'!A0,\"\"x\"\"\"")
        #expect(cell("\r=1") == "\"'\r=1\"")
        #expect(cell("\n=1") == "\"'\n=1\"")
    }

    @Test func otherWideCharactersAreNoFormula() {
        for value in ["ＦＵＬＬ", "！", "？"] { #expect(cell(value) == value) }
    }

    @Test func nothingIsAnEmptyCell() {
        let record = text { writer in
            writer.text(nil)
            writer.text("")
            writer.int(nil)
            writer.double(nil)
            writer.double(.nan)
            writer.double(.infinity)
            writer.skip(2)
            writer.text("x")
        }
        #expect(record == ",,,,,,,,x")
    }

    @Test func numbersStayNumbers() {
        let record = text { writer in
            writer.int(-5)
            writer.int64(.min)
            writer.double(-1.25)
            writer.double(0.0001)
            writer.double(100)
            writer.double(1e17)
            writer.bool(true)
            writer.bool(false)
        }
        #expect(record == "-5,-9223372036854775808,-1.25,0.0001,100,100000000000000000.0,true,false")
    }

    /// Read back by a parser written apart from the writer.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyTextReadsBack(seed: UInt64) {
        var random = SplitMix(state: seed)
        let alphabet = Array("ab,\"\r\n=+-@\t' é日😀")
        let table = (0..<50).map { _ in
            (0..<4).map { _ in
                String(
                    (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
                        alphabet.randomElement(using: &random)
                    }
                )
            }
        }
        let written = text { writer in
            for record in table {
                for cell in record { writer.text(cell) }
                writer.endRecord()
            }
        }
        #expect(CSVReader.read(written) == table.map { $0.map(guarded) })
    }

    private func guarded(_ value: String) -> String {
        guard let first = value.unicodeScalars.first, "=+-@\t\r\n".unicodeScalars.contains(first) else {
            return value
        }
        return "'" + value
    }
}

/// RFC 4180, character by character.
private enum CSVReader {
    static func read(_ text: String) -> [[String]] {
        var records: [[String]] = []
        var record: [String] = []
        var cell = String.UnicodeScalarView()
        var isQuoted = false
        var rest = Array(text.unicodeScalars)[...]
        while let next = rest.popFirst() {
            if isQuoted {
                if next != "\"" {
                    cell.append(next)
                } else if rest.first == "\"" {
                    cell.append("\"")
                    rest.removeFirst()
                } else {
                    isQuoted = false
                }
                continue
            }
            switch next {
            case "\"": isQuoted = true
            case ",":
                record.append(String(cell))
                cell = .init()
            case "\r" where rest.first == "\n":
                rest.removeFirst()
                records.append(record + [String(cell)])
                record = []
                cell = .init()
            default: cell.append(next)
            }
        }
        return records
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
