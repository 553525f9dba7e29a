// Fills a database with closed days of one app, made from a seed, and writes the same sessions as rows for other engines.

import Calendar
import Contracts
import Foundation
import Postgres

/// What to make; all of it from the environment.
struct BenchOptions {
    let databaseURL: String
    let folder: String
    let days: Int
    let sessions: Int
    let people: Int
    let seed: UInt64
    let first: LocalDay

    init(_ environment: [String: String]) throws {
        func text(_ name: String) throws -> String {
            guard let value = environment[name] else { throw BenchProblem("\(name) is missing") }
            return value
        }
        func number(_ name: String) throws -> Int {
            guard let value = Int(try text(name)), value > 0 else {
                throw BenchProblem("\(name) is no number")
            }
            return value
        }
        databaseURL = try text("DATABASE_URL")
        folder = try text("BENCH_FOLDER")
        days = try number("BENCH_DAYS")
        sessions = try number("BENCH_SESSIONS")
        people = try number("BENCH_PEOPLE")
        seed = UInt64(try number("BENCH_SEED"))
        guard let day = LocalDay(try text("BENCH_FIRST_DAY")) else {
            throw BenchProblem("BENCH_FIRST_DAY is no date")
        }
        first = day
    }
}

struct BenchProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

let options = try BenchOptions(ProcessInfo.processInfo.environment)
var world = BenchWorld(options)
let sessionFile = try RowFile(options.folder + "/sessions.bin")
let tables = try await BenchTables(options)
for day in 0..<options.days {
    let rows = world.sessions(ofDay: day)
    for row in rows { sessionFile.write(row, day: options.first.advanced(by: day)) }
    try await tables.insert(rows, day: options.first.advanced(by: day))
}
try sessionFile.close()
let peopleFile = try RowFile(options.folder + "/people.bin")
for person in world.firsts() { peopleFile.write(person) }
try peopleFile.close()
try await tables.insert(world)
try tables.contextLines(world).write(
    toFile: options.folder + "/contexts.tsv",
    atomically: false,
    encoding: .utf8
)
print(tables.app.description)
