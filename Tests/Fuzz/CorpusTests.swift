import Foundation
import Testing

/// Every stored input through its target: seeds, and each input that once broke something.
@Suite struct CorpusTests {
    static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "corpus")

    @Test(arguments: FuzzTarget.allCases)
    func storedInputsKeepEveryPromise(target: FuzzTarget) throws {
        let folder = Self.corpus.appending(path: target.rawValue)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let input = try [UInt8](Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.run(input) }
        }
    }
}
