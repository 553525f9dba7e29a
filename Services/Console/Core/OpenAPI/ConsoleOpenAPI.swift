/// The reference of the control plane: `openapi.json` beside this file.
enum ConsoleOpenAPI {
    static let bytes = PackageResources.openapi_json
    static let answer = ConsoleAnswer(body: bytes)
}
