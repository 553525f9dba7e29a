import CPostgres

/// What it takes to open a connection.
struct ConnectSettings: Sendable {
    var url: String
    var applicationName: String
    var timeoutSeconds: Int
    var statementTimeoutMs: Int?
    /// How long after the server should have ended a statement we still wait for its answer.
    ///
    /// Only a server that is stopped, or a network that swallows everything, gets this far.
    var answerGraceMs = 5_000

    /// Keywords for libpq in the order in which it reads them: what follows overrides what came before.
    ///
    /// The URL may change the keep-alives and the name, but not the encoding, on which every decoder here
    /// relies.
    var keywords: [(String, String)] {
        [
            ("application_name", applicationName),
            ("keepalives", "1"),
            ("keepalives_idle", "10"),
            ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "20000"),
            ("dbname", url),
            ("client_encoding", "UTF8"),
        ]
    }

    /// Run once on a new connection.
    ///
    /// The zone is fixed so that a cast between text and `timestamptz` means the same on every machine.
    var setup: String {
        let timeout = statementTimeoutMs.map { "SET statement_timeout = \($0);" } ?? ""
        return "SET TimeZone = 'UTC';" + timeout
    }

    /// Refuses a URL that libpq cannot use, without repeating it: it holds a password.
    ///
    /// What is wrong with a URL stays wrong, and must not look like a server that is away.
    func checkURL() throws {
        try withCStrings([url]) { texts in
            var problem: UnsafeMutablePointer<CChar>?
            let options = PQconninfoParse(texts[0], &problem)
            defer {
                PQfreemem(problem)
                PQconninfoFree(options)
            }
            guard var option = options else { throw Self.unusableURL("cannot be read") }
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val {
                    try Self.check(option: String(cString: keyword), value: String(cString: value))
                }
                option += 1
            }
        }
    }

    private static func check(option: String, value: String) throws {
        switch option {
        case "host" where value.contains("@"):
            // The rest of a password in which the @ was not encoded.
            throw unusableURL("has an @ in its host: write %40 for one in the password")
        case "port":
            // One for each host, or one for all.
            let ports = value.split(separator: ",", omittingEmptySubsequences: false)
            guard ports.allSatisfy({ $0.isEmpty || UInt16($0) ?? 0 > 0 }) else {
                throw unusableURL("has a port that is no number from 1 to 65535")
            }
        default: return
        }
    }

    private static func unusableURL(_ problem: String) -> PostgresError {
        PostgresError(sqlState: "22023", message: "the connection URL " + problem)
    }
}
