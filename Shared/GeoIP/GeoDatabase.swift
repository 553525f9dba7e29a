import CMaxMindDB

/// Where an address is, as far as the database knows.
public struct GeoPlace: Hashable, Sendable {
    /// ISO 3166-1 alpha-2, such as `DE`.
    public let country: String?
    /// The English name.
    public let city: String?

    public init(country: String?, city: String?) {
        self.country = country
        self.city = city
    }
}

/// A city database in MaxMind's format, mapped into memory.
///
/// Who frees: `deinit`. Threads: any, at once. Copies: the texts it returns. Blocks: on the disk, when a page
/// of the file is touched for the first time. Replace the file by renaming another over it: one that is
/// overwritten in place changes under the reader.
///
/// `@unchecked Sendable`: libmaxminddb only reads an open database, and `database` never changes.
public final class GeoDatabase: @unchecked Sendable {
    private let database: UnsafeMutablePointer<MMDB_s>

    public init(path: String) throws(GeoDatabaseError) {
        let database = UnsafeMutablePointer<MMDB_s>.allocate(capacity: 1)
        database.initialize(to: MMDB_s())
        let status = MMDB_open(path, UInt32(MMDB_MODE_MMAP), database)
        guard status == MMDB_SUCCESS else {
            database.deallocate()
            throw GeoDatabaseError(path: path, message: String(cString: MMDB_strerror(status)))
        }
        self.database = database
    }

    deinit {
        MMDB_close(database)
        database.deallocate()
    }

    /// When the database was made, in seconds since 1970.
    public var buildSeconds: Int64 { Int64(clamping: database.pointee.metadata.build_epoch) }

    /// Nil when nothing is known about the address.
    public func lookup(_ address: IPAddress) -> GeoPlace? {
        var offset: UInt32 = 0
        let isFound = withUnsafeBytes(of: (address.high.bigEndian, address.low.bigEndian)) { bytes in
            geo_find(database, bytes.bindMemory(to: UInt8.self).baseAddress, address.isV4, &offset)
        }
        guard isFound else { return nil }
        var countryBytes: UInt32 = 0
        var cityBytes: UInt32 = 0
        let country = text(geo_country(database, offset, &countryBytes), countryBytes)
        let city = text(geo_city(database, offset, &cityBytes), cityBytes)
        return country == nil && city == nil ? nil : GeoPlace(country: country, city: city)
    }

    /// Empty texts are as good as none.
    private func text(_ start: UnsafePointer<CChar>?, _ count: UInt32) -> String? {
        guard let start, count > 0 else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }
}

/// Why a file is no usable database; a retry helps once the file is another one.
public struct GeoDatabaseError: Error, Sendable, CustomStringConvertible {
    public let path: String
    public let message: String
    public var description: String { "geo database \(path): \(message)" }
}
