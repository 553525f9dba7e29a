import Contracts
import ControlPlane
import Foundation
import GeoIP
import IngestCore
import JSON
import Kafka
import Postgres
import Schema

/// The command `fgctl import`.
enum ImportCommand {
    static let spec = CommandSpec(
        words: ["import"],
        summary: "Publish batches from a file, one JSON batch a line, to back-fill history",
        details: """
            Each line is what an app would POST; it is checked like there, but taken as received at its own sent_at, so its events may be \
            older than seven days. Repeating an import changes nothing. A line that is refused as a whole is reported with its number and \
            the rest goes on; the exit code is then 1. FILE may be - for standard input.
            """,
        options: [
            .value("app", "APP_ID", required: true, "the app the batches belong to"),
            .value("geoip", "DATABASE", "city database (.mmdb) for the addresses that batches name"),
        ],
        positionals: ["FILE"]
    ) { arguments, context in
        let id = try Arguments.appID(arguments.first("app"))
        let places = try database(arguments.first("geoip"))
        let connection = try await context.connect()
        let app = try await connection.perform { try AppCatalogue.find(id, $0) }
        await connection.close()
        let importer = BatchImporter(
            app: RegisteredApp(id: id, platforms: app.platforms.compactMap(Platform.init(rawValue:))),
            places: places
        )
        let producer = try KafkaProducer(
            settings: ImportRun.producerSettings(
                try context.settings.required(context.settings.brokers, "KAFKA_BROKERS")
            )
        )
        var run = ImportRun(importer: importer, producer: producer, context: context)
        do {
            try await run.publish(linesOf: arguments.positionals[0])
        } catch {
            await producer.close(flushMs: 0)
            throw error
        }
        await producer.close(flushMs: 30_000)
        return run.result
    }

    private static func database(_ path: String?) throws -> GeoDatabase? {
        guard let path else { return nil }
        do throws(GeoDatabaseError) {
            return try GeoDatabase(path: path)
        } catch {
            throw CommandFailure(error.description)
        }
    }
}

/// One import under way.
struct ImportRun {
    private let importer: BatchImporter
    private let producer: KafkaProducer
    private let context: CommandContext
    private let window = PublishWindow(messagesMax: 5_000)
    private var lines = 0
    private var accepted = 0
    private var rejected = 0
    private var warnings = 0
    private var refused = 0
    private static let reportLines = 10_000
    private static let refusalsShown = 20

    init(importer: BatchImporter, producer: KafkaProducer, context: CommandContext) {
        self.importer = importer
        self.producer = producer
        self.context = context
    }

    static func producerSettings(_ brokers: String) -> [String: String] {
        [
            "bootstrap.servers": brokers, "acks": "all", "enable.idempotence": "true",
            "compression.codec": "lz4",
            "linger.ms": "20", "message.timeout.ms": "60000",
            "message.max.bytes": "\(Topics.messageBytesMax + 16_384)",
        ]
    }

    mutating func publish(linesOf path: String) async throws {
        guard let reader = LineReader(path: path) else { throw CommandFailure("cannot read \(path)") }
        while let line = try reader.next() {
            lines += 1
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            try await take(line)
            if lines.isMultiple(of: Self.reportLines) {
                context.progress("\(lines) lines, \(accepted) events accepted")
            }
        }
        try await window.drain()
    }

    private mutating func take(_ line: [UInt8]) async throws {
        do throws(BatchRefusal) {
            let batch = try importer.prepare(line)
            accepted += batch.accepted
            rejected += batch.rejected
            warnings += batch.warnings
            try await publish(batch.messages)
        } catch {
            refused += 1
            if refused <= Self.refusalsShown {
                let field = error.field.map { " (\($0))" } ?? ""
                context.progress("line \(lines): \(error.code.rawValue)\(field)")
            }
        }
    }

    private func publish(_ messages: [ImportedMessage]) async throws(BatchRefusal) {
        for message in messages {
            await window.enter()
            let window = window
            do throws(KafkaError) {
                try producer.produce(
                    message.payload,
                    key: message.key,
                    headers: [
                        KafkaHeader(
                            name: EventMessage.schemaHeader,
                            value: Array("\(EventMessage.schemaVersion)".utf8)
                        )
                    ],
                    to: context.settings.eventsTopic
                ) { window.leave($0) }
            } catch {
                window.leave(error)
            }
        }
    }

    var result: CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accepted")
        writer.int(accepted)
        writer.key("rejected")
        writer.int(rejected)
        writer.key("warnings")
        writer.int(warnings)
        writer.key("refused_batches")
        writer.int(refused)
        writer.endObject()
        let text =
            "\(accepted) events accepted, \(rejected) rejected, \(warnings) warnings, \(refused) lines refused\n"
        return CommandResult(text: text, json: writer.bytes, exitCode: refused == 0 ? 0 : 1)
    }
}
