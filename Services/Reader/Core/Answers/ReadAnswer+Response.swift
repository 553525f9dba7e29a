import HTTP

extension ReadAnswer {
    /// The response to this request: the body in the form that is welcome, or that nothing has changed.
    func response(to head: HTTPRequestHead, requestID: String) -> HTTPResponse {
        var body: [UInt8]?
        let tag: EntityTag?
        switch validity {
        case .moment: tag = nil
        case .state(let name): tag = EntityTag(of: Array(name.utf8))
        case .content:
            let bytes = self.body()
            tag = EntityTag(of: bytes)
            body = bytes
        }
        var response = HTTPResponse(status: status, headers: commonHeaders(tag, requestID))
        if let tag, tag.isNamed(in: head.headers.values("If-None-Match")) {
            response.status = 304
            return response
        }
        let (bytes, isPacked) = ContentCoding(head.headers).encode(body ?? self.body())
        response.headers.append(("Content-Type", format.contentType))
        if isPacked { response.headers.append(("Content-Encoding", "gzip")) }
        if let fileName {
            response.headers.append(("Content-Disposition", "attachment; filename=\"\(fileName)\""))
        }
        response.body = bytes
        return response
    }

    /// What an answer says with and without a body (RFC 9110, section 15.4.5).
    private func commonHeaders(_ tag: EntityTag?, _ requestID: String) -> [(name: String, value: String)] {
        var headers = headers + [("X-Request-Id", requestID)]
        headers.append(("Vary", (varies + ["Accept-Encoding"]).joined(separator: ", ")))
        guard let tag else { return headers + [("Cache-Control", "private, no-store")] }
        // A copy may be kept, and is asked about each time.
        return headers + [("ETag", tag.text), ("Cache-Control", "private, no-cache")]
    }
}
