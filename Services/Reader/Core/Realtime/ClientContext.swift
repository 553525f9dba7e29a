import JSON
import Postgres

/// What an event told of the app and the device it came from.
struct ClientContext: Sendable, Hashable {
    var platform: String
    var deviceType: String?
    var deviceModel: String?
    var osName: String?
    var osVersion: String?
    var appVersion: String?
    var country: String?
    var city: String?

    /// The columns `init` reads, of the table named `c`.
    static let columns: SQL =
        "c.platform, c.device_type, c.device_model, c.os_name, c.os_version, c.app_version, c.country, c.city"
    static let columnCount = 8

    init(_ row: borrowing Row, at column: Int) throws {
        platform = try row.string(column)
        deviceType = try row.optionalString(column + 1)
        deviceModel = try row.optionalString(column + 2)
        osName = try row.optionalString(column + 3)
        osVersion = try row.optionalString(column + 4)
        appVersion = try row.optionalString(column + 5)
        country = try row.optionalString(column + 6)
        city = try row.optionalString(column + 7)
    }

    /// The same device and app, wherever it was.
    var device: ClientContext {
        var device = self
        (device.country, device.city) = (nil, nil)
        return device
    }

    func writeDevice(to writer: inout JSONWriter) {
        writer.member("platform", platform)
        writer.member("app_version", appVersion)
        writer.member("os_name", osName)
        writer.member("os_version", osVersion)
        writer.member("device_type", deviceType)
        writer.member("device_model", deviceModel)
    }

    func write(to writer: inout JSONWriter) {
        writeDevice(to: &writer)
        writer.member("country", country)
        writer.member("city", city)
    }
}
