/// Why the Read API refused a request.
///
/// The raw value is a contract with scripts: never rename or reuse one.
public enum ReadErrorCode: String, Error, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case rangeTooLarge = "range_too_large"
    case unauthenticated
    case insufficientScope = "insufficient_scope"
    case appNotFound = "app_not_found"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case rateLimited = "rate_limited"
    case internalError = "internal_error"
    case storageUnavailable = "storage_unavailable"

    public var status: Int {
        switch self {
        case .invalidRequest, .rangeTooLarge: 400
        case .unauthenticated: 401
        case .insufficientScope: 403
        case .appNotFound, .notFound: 404
        case .methodNotAllowed: 405
        case .rateLimited: 429
        case .internalError: 500
        case .storageUnavailable: 503
        }
    }

    public var message: LocalizedMessage {
        switch self {
        case .invalidRequest:
            LocalizedMessage(en: "A parameter is not valid.", ru: "Недопустимый параметр.")
        case .rangeTooLarge:
            LocalizedMessage(
                en: "The period is too long: at most 366 days, 7 days by hour.",
                ru: "Период слишком длинный: не больше 366 дней, по часам — 7 дней."
            )
        case .unauthenticated:
            LocalizedMessage(
                en: "Send a valid secret key as Authorization: Bearer sk_….",
                ru: "Передайте действующий секретный ключ: Authorization: Bearer sk_…."
            )
        case .insufficientScope:
            LocalizedMessage(en: "The key lacks the required scope.", ru: "У ключа нет нужных прав.")
        case .appNotFound:
            LocalizedMessage(en: "No such app for this key.", ru: "Для этого ключа нет такого приложения.")
        case .notFound:
            LocalizedMessage(en: "Nothing is found at this address.", ru: "По этому адресу ничего нет.")
        case .methodNotAllowed:
            LocalizedMessage(en: "The method is not allowed here.", ru: "Метод здесь не поддерживается.")
        case .rateLimited:
            LocalizedMessage(
                en: "Too many requests with this key; retry after the given pause.",
                ru: "Слишком много запросов с этим ключом; повторите после паузы."
            )
        case .internalError:
            LocalizedMessage(en: "Server error.", ru: "Ошибка сервера.")
        case .storageUnavailable:
            LocalizedMessage(
                en: "The storage is unavailable; retry after the given pause.",
                ru: "Хранилище недоступно; повторите после паузы."
            )
        }
    }
}
