import Testing

@testable import Postgres

@Suite struct PostgresErrorTests {
    @Test(arguments: [
        "08006", "08001", "08003", "53300", "53100", "57P01", "57P02", "57P03", "58030", "25006",
    ])
    func serverIsUnavailable(sqlState: String) {
        #expect(PostgresError(sqlState: sqlState, message: "").kind == .unavailable)
    }

    @Test(arguments: ["40001", "40P01", "55P03", "57014"])
    func transactionIsRetryable(sqlState: String) {
        #expect(PostgresError(sqlState: sqlState, message: "").kind == .retryable)
    }

    @Test(arguments: ["23505", "42601", "22P02", "28P01", "3D000", "0A000", "55000"])
    func statementWouldFailAgain(sqlState: String) {
        #expect(PostgresError(sqlState: sqlState, message: "").kind == .other)
    }

    @Test func logTextHidesTheDetail() {
        let error = PostgresError(
            sqlState: "23505",
            message: "duplicate key value violates unique constraint \"apps_key\"",
            detail: "Key (name)=(secret) already exists."
        )
        #expect(
            error.description
                == "postgres 23505: duplicate key value violates unique constraint \"apps_key\""
        )
    }

    @Test(arguments: [
        (
            "22P02", "invalid input syntax for type integer: \"se\"cret\"",
            "invalid input syntax for type integer…"
        ),
        ("22003", "value \"99999999999\" is out of range for type integer", "value …"),
        (
            "22021", "invalid byte sequence for encoding \"UTF8\": 0xff",
            "invalid byte sequence for encoding …"
        ),
        ("22012", "division by zero", "division by zero"),
        ("P0001", "no such person: 42", "no such person…"),
    ])
    func logTextHidesValues(sqlState: String, message: String, logged: String) {
        let error = PostgresError(sqlState: sqlState, message: message)
        #expect(error.description == "postgres \(sqlState): \(logged)")
    }

    @Test func refusedLogInKeepsItsCode() {
        let error = ConnectFailure.error(
            from: """
                connection to server at "::1", port 5432 failed: FATAL:  28P01: password authentication failed
                LOCATION:  auth_failed, auth.c:339

                """
        )
        #expect(error.sqlState == "28P01")
        #expect(
            error.message
                == #"connection to server at "::1", port 5432 failed: FATAL:  password authentication failed"#
        )
        #expect(error.kind == .other)
    }

    @Test func serverStartingUpIsUnavailable() {
        let error = ConnectFailure.error(
            from: #"connection to server at "db" failed: FATAL:  57P03: the database system is starting up"#
        )
        #expect(error.sqlState == "57P03")
        #expect(error.isUnavailable)
    }
}
