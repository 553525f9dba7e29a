import Foundation
import ServiceKit
import Testing

@Suite struct FilesTests {
    @Test func whatWasWrittenIsRead() throws {
        try withTemporaryDirectory { directory in
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }

            try atomicWriteFile("\(directory)/file", bytes)

            #expect(try readFile("\(directory)/file", bytesMax: 200_000) == bytes)
        }
    }

    @Test func replacingLeavesNothingBeside() throws {
        try withTemporaryDirectory { directory in
            try atomicWriteFile("\(directory)/file", Array("old and longer".utf8))
            try atomicWriteFile("\(directory)/file", Array("new".utf8))

            #expect(try readFile("\(directory)/file", bytesMax: 100) == Array("new".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["file"])
        }
    }

    @Test(arguments: [UInt32(0o600), 0o644, 0o666])
    func theModeIsExact(mode: UInt32) throws {
        try withTemporaryDirectory { directory in
            try atomicWriteFile("\(directory)/file", [], mode: mode)

            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/file")
            #expect((attributes[.posixPermissions] as? NSNumber)?.uint32Value == mode)
        }
    }

    @Test func aFailedWriteKeepsTheOldAndLeavesNothing() throws {
        try withTemporaryDirectory { directory in
            // A directory of that name cannot be replaced by a file.
            try FileManager.default.createDirectory(
                atPath: "\(directory)/taken/inside",
                withIntermediateDirectories: true
            )

            #expect(throws: FileError.self) { try atomicWriteFile("\(directory)/taken", [1]) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["taken"])
        }
    }

    @Test func aFileBeyondTheBoundIsRefused() throws {
        try withTemporaryDirectory { directory in
            try atomicWriteFile("\(directory)/file", [1, 2, 3])

            #expect(throws: FileError.tooLarge(path: "\(directory)/file", bytesMax: 2)) {
                try readFile("\(directory)/file", bytesMax: 2)
            }
        }
    }

    @Test func filesWithoutASizeAreRead() throws {
        #expect(try !readFile("/proc/self/stat", bytesMax: 65_536).isEmpty)
    }

    @Test func aMissingFileIsKnownAsSuch() {
        #expect { try readFile("/nowhere/file", bytesMax: 1) } throws: {
            ($0 as? FileError)?.isMissing == true
        }
    }

    @Test func aDirectoryIsNotAFile() {
        #expect { try readFile("/", bytesMax: 1) } throws: { ($0 as? FileError)?.isMissing == false }
    }
}
