import Foundation
import GeoIP
import Glibc
import ServiceKit
import Testing

@testable import IngestCore

/// A database file in a directory of its own, replaced as operators do it.
private struct DatabaseFile {
    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../GeoIPTests/Fixtures/city.mmdb").path

    let directory: String
    let log = LogCapture()
    var path: String { directory + "/city.mmdb" }

    /// With a file that knows London.
    static func with(_ body: (DatabaseFile) throws -> Void) throws {
        let name = "geo-\(UUID().uuidString)"
        let directory = FileManager.default.temporaryDirectory.appending(path: name).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let file = DatabaseFile(directory: directory)
        try file.replace(with: bytes())
        try body(file)
    }

    static func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: fixture))) }

    /// The same database with another town: of equal length, so that offsets stay true.
    static func moved() throws -> [UInt8] {
        var bytes = try bytes()
        for place in bytes.indices.dropLast(6) where bytes[place..<(place + 6)].elementsEqual("London".utf8) {
            bytes.replaceSubrange(place..<(place + 6), with: "Oxford".utf8)
        }
        return bytes
    }

    func source() throws -> GeoSource { try GeoSource(path: path, logger: log.logger()) }

    /// Written beside it and renamed over it.
    func replace(with bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path + ".new"))
        try #require(rename(path + ".new", path) == 0)
    }

    func remove() throws { try FileManager.default.removeItem(atPath: path) }

    func count(_ event: String) -> Int { log.lines.count { $0.contains("\"\(event)\"") } }
}

extension GeoSource {
    fileprivate var town: String? { IPAddress("81.2.69.142").flatMap { current?.lookup($0) }?.city }
}

@Suite struct GeoSourceTests {
    @Test func theFileIsOpenedAtTheStart() throws {
        try DatabaseFile.with { file in
            let source = try file.source()

            #expect(source.town == "London")
        }
    }

    @Test func aReplacedFileIsTakenOver() throws {
        try DatabaseFile.with { file in
            let source = try file.source()
            try file.replace(with: DatabaseFile.moved())

            source.refresh()

            #expect(source.town == "Oxford")
            #expect(file.count("geo_database_loaded") == 1)
        }
    }

    @Test func aFileThatStaysIsOpenedOnce() throws {
        try DatabaseFile.with { file in
            let source = try file.source()
            let opened = try #require(source.current)

            source.refresh()

            #expect(source.current === opened)
            #expect(file.log.lines.isEmpty)
        }
    }

    /// A batch in hand keeps the database it began with, although another is in use already.
    @Test func aDatabaseOutlivesItsFile() throws {
        try DatabaseFile.with { file in
            let source = try file.source()
            let old = try #require(source.current)
            try file.replace(with: DatabaseFile.moved())
            source.refresh()

            #expect(old.lookup(try #require(IPAddress("81.2.69.142")))?.city == "London")
        }
    }

    static let broken: [(String, @Sendable ([UInt8]) -> [UInt8])] = [
        ("another kind", { _ in Array("not a database".utf8) }),
        ("empty", { _ in [] }),
        ("half of it", { Array($0.prefix($0.count / 2)) }),
        ("cut by a byte", { Array($0.dropLast()) }),
    ]

    @Test(arguments: broken.map(\.0))
    func aBrokenFileLeavesTheOldDatabase(name: String) throws {
        let damage = try #require(Self.broken.first { $0.0 == name }?.1)
        try DatabaseFile.with { file in
            let source = try file.source()
            try file.replace(with: damage(DatabaseFile.moved()))

            source.refresh()

            #expect(source.town == "London")
            #expect(file.count("geo_database_unusable") == 1)
        }
    }

    @Test func theSameBrokenFileIsReportedOnce() throws {
        try DatabaseFile.with { file in
            let source = try file.source()
            try file.replace(with: [])

            for _ in 0..<3 { source.refresh() }

            #expect(file.count("geo_database_unusable") == 1)
        }
    }

    @Test func aGoodFileAfterABrokenOneIsTakenOver() throws {
        try DatabaseFile.with { file in
            let source = try file.source()
            try file.replace(with: [])
            source.refresh()
            try file.replace(with: DatabaseFile.moved())

            source.refresh()

            #expect(source.town == "Oxford")
        }
    }

    @Test func aFileThatVanishesLeavesTheOldDatabase() throws {
        try DatabaseFile.with { file in
            let source = try file.source()
            try file.remove()

            source.refresh()

            #expect(source.town == "London")
        }
    }

    @Test func aFileThatComesBackIsTakenOver() throws {
        try DatabaseFile.with { file in
            let source = try file.source()
            try file.remove()
            source.refresh()
            try file.replace(with: DatabaseFile.moved())

            source.refresh()

            #expect(source.town == "Oxford")
        }
    }

    @Test func aMissingFileEndsTheStart() throws {
        try DatabaseFile.with { file in
            try file.remove()

            #expect(throws: GeoDatabaseError.self) { try file.source() }
        }
    }

    @Test func withoutAPathThereIsNone() throws {
        let source = try GeoSource(path: nil, logger: .silent)

        source.refresh()

        #expect(source.current == nil)
    }
}
