/// What any of our HTTP servers answers when a request does not reach a documented operation.
public enum RouteErrorCode: String, Error, Sendable, CaseIterable {
    case badRequest = "bad_request"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"

    public var status: Int {
        switch self {
        case .badRequest: 400
        case .notFound: 404
        case .methodNotAllowed: 405
        }
    }

    public var message: LocalizedMessage {
        switch self {
        case .badRequest:
            LocalizedMessage(en: "The request is not valid HTTP.", ru: "Некорректный HTTP-запрос.")
        case .notFound:
            LocalizedMessage(en: "Nothing is found at this address.", ru: "По этому адресу ничего нет.")
        case .methodNotAllowed:
            LocalizedMessage(en: "The method is not allowed here.", ru: "Метод здесь не поддерживается.")
        }
    }
}
