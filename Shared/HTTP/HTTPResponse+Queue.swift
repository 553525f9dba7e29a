import CMicroHTTPD

extension HTTPResponse {
    /// Hands a copy to libmicrohttpd, which sends it from its own thread.
    func queue(on connection: OpaquePointer, closes: Bool) -> MHD_Result {
        let response = body.withUnsafeBytes { bytes in
            MHD_create_response_from_buffer(
                bytes.count,
                UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
        guard let response else { return .NO }
        // The connection holds a reference of its own until the last byte is sent.
        defer { MHD_destroy_response(response) }
        for (name, value) in headers where !Self.isOurs(name) {
            // It refuses what would break out of its line; such a header is left out.
            _ = MHD_add_response_header(response, name, value)
        }
        if closes { _ = MHD_add_response_header(response, "Connection", "close") }
        return MHD_queue_response(connection, 200...999 ~= status ? UInt32(status) : 500, response)
    }

    private static func isOurs(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { name in
            switch name.count {
            case 4: ASCII.equalIgnoringCase(name, "date")
            case 10: ASCII.equalIgnoringCase(name, "connection")
            case 14: ASCII.equalIgnoringCase(name, "content-length")
            case 17: ASCII.equalIgnoringCase(name, "transfer-encoding")
            default: false
            }
        }
    }
}
