import ControlPlane
import JSON
import ServiceKit

/// What pages need to know of the installation, before anybody signs in.
struct ConsoleFacts: Sendable {
    let ingestURL: String
    let readURL: String

    var answer: ConsoleAnswer {
        .object { writer in
            writer.member("ingest_url", ingestURL)
            writer.member("read_url", readURL)
            writer.member("version", BuildInfo.version)
        }
    }
}
