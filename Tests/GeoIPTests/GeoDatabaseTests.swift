import Foundation
import GeoIP
import Testing

@Suite struct GeoDatabaseTests {
    static let path = URL(filePath: #filePath).deletingLastPathComponent().path + "/Fixtures/city.mmdb"

    static let places: [(String, GeoPlace?)] = [
        ("81.2.69.142", GeoPlace(country: "GB", city: "London")),
        ("::ffff:81.2.69.142", GeoPlace(country: "GB", city: "London")),
        ("89.160.20.128", GeoPlace(country: "SE", city: "Linköping")),
        ("5.45.200.1", GeoPlace(country: "RU", city: nil)),
        ("67.43.156.1", GeoPlace(country: "BT", city: nil)),
        ("9.9.9.9", GeoPlace(country: nil, city: "Nowhere")),
        ("8.8.4.4", nil),
        ("8.8.8.8", nil),
        ("2a02:d280::1", GeoPlace(country: "CZ", city: "Prague")),
        ("81.2.70.1", nil),
        ("2a03::1", nil),
        ("127.0.0.1", nil),
    ]

    @Test(arguments: places)
    func findsThePlace(text: String, place: GeoPlace?) throws {
        let address = try #require(IPAddress(text))
        #expect(try GeoDatabase(path: Self.path).lookup(address) == place)
    }

    @Test func knowsWhenItWasMade() throws {
        #expect(try GeoDatabase(path: Self.path).buildSeconds > 1_700_000_000)
    }

    @Test func aMissingFileIsAnError() {
        #expect(throws: GeoDatabaseError.self) { try GeoDatabase(path: Self.path + ".missing") }
    }

    @Test func aFileOfAnotherKindIsAnError() {
        #expect(throws: GeoDatabaseError.self) { try GeoDatabase(path: #filePath) }
    }
}
