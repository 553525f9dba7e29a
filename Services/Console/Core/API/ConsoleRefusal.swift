import Contracts
import ControlPlane
import Postgres
import Schema

/// Why the console refuses a request; the raw value is what pages and scripts tell apart.
enum ConsoleErrorCode: String, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case unauthenticated
    case invalidCredentials = "invalid_credentials"
    case forbidden
    case appNotFound = "app_not_found"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case conflict
    case rateLimited = "rate_limited"
    case internalError = "internal_error"
    case storageUnavailable = "storage_unavailable"

    var status: Int {
        switch self {
        case .invalidRequest: 400
        case .unauthenticated, .invalidCredentials: 401
        case .forbidden: 403
        case .appNotFound, .notFound: 404
        case .methodNotAllowed: 405
        case .conflict: 409
        case .rateLimited: 429
        case .internalError: 500
        case .storageUnavailable: 503
        }
    }

    var message: LocalizedMessage {
        switch self {
        case .invalidRequest:
            LocalizedMessage(en: "A value is not valid.", ru: "Недопустимое значение.")
        case .unauthenticated:
            LocalizedMessage(en: "Sign in first.", ru: "Сначала войдите.")
        case .invalidCredentials:
            LocalizedMessage(en: "Wrong address or password.", ru: "Неверный адрес или пароль.")
        case .forbidden:
            LocalizedMessage(
                en: "The request did not come from this console.",
                ru: "Запрос пришёл не из этой консоли."
            )
        case .appNotFound: LocalizedMessage(en: "There is no such app.", ru: "Такого приложения нет.")
        case .notFound:
            LocalizedMessage(en: "Nothing is found at this address.", ru: "По этому адресу ничего нет.")
        case .methodNotAllowed:
            LocalizedMessage(en: "The method is not allowed here.", ru: "Метод здесь не поддерживается.")
        case .conflict:
            LocalizedMessage(en: "Something stands in the way.", ru: "Сейчас это невозможно.")
        case .rateLimited:
            LocalizedMessage(
                en: "Too many attempts; try again after the given pause.",
                ru: "Слишком много попыток; повторите после паузы."
            )
        case .internalError: LocalizedMessage(en: "Server error.", ru: "Ошибка сервера.")
        case .storageUnavailable:
            LocalizedMessage(
                en: "The storage is unavailable; retry after the given pause.",
                ru: "Хранилище недоступно; повторите после паузы."
            )
        }
    }
}

/// A request that is refused.
struct ConsoleRefusal: Error, Sendable, Equatable {
    var code: ConsoleErrorCode
    var field: String?
    /// In plain words, where the code alone does not say it.
    var reason: String?
    var retryAfterSeconds: Int?
    var allow: String?

    init(
        _ code: ConsoleErrorCode,
        field: String? = nil,
        reason: String? = nil,
        retryAfterSeconds: Int? = nil,
        allow: String? = nil
    ) {
        self.code = code
        self.field = field
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
        self.allow = allow
    }

    /// The one place that turns a failure into what the client sees.
    init(_ error: any Error) {
        switch error {
        case let refusal as ConsoleRefusal: self = refusal
        case let problem as ControlProblem: self.init(problem)
        case let refusal as AppChangeRefusal: self.init(refusal)
        case let error as PostgresError where error.isUnavailable || error.isRetryable:
            self.init(.storageUnavailable, retryAfterSeconds: 5)
        default: self.init(.internalError)
        }
    }

    private init(_ refusal: AppChangeRefusal) {
        switch refusal {
        case .unknownApp, .unknownSource, .unknownTarget: self.init(ConsoleErrorCode.appNotFound)
        default: self.init(.conflict, reason: refusal.description)
        }
    }

    private init(_ problem: ControlProblem) {
        switch problem {
        // Named in full: a bare `.appNotFound` is the problem's, and this initialiser would call itself for ever.
        case .appNotFound: self.init(ConsoleErrorCode.appNotFound)
        case .keyNotFound: self.init(.notFound, reason: problem.description)
        case .invalid(let field, let reason): self.init(.invalidRequest, field: field, reason: reason)
        case .conflict(let reason): self.init(.conflict, reason: reason)
        }
    }
}
