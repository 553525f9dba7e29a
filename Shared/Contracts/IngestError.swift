/// Why a whole batch was refused: one case, one reply code, one metric label, one documentation row.
///
/// Clients branch on the status and the code; see `LocalizedMessage` for the text.
public enum IngestErrorCode: String, Error, Sendable, CaseIterable {
    case invalidJSON = "invalid_json"
    case invalidBatch = "invalid_batch"
    case unsupportedContentEncoding = "unsupported_content_encoding"
    case missingAppKey = "missing_app_key"
    case invalidAppKey = "invalid_app_key"
    case appArchived = "app_archived"
    case payloadTooLarge = "payload_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case appRateLimited = "app_rate_limited"
    case internalError = "internal_error"
    case storageUnavailable = "storage_unavailable"

    public var status: Int {
        switch self {
        case .invalidJSON, .invalidBatch, .unsupportedContentEncoding: 400
        case .missingAppKey, .invalidAppKey: 401
        case .appArchived: 403
        case .payloadTooLarge: 413
        case .unsupportedMediaType: 415
        case .appRateLimited: 429
        case .internalError: 500
        case .storageUnavailable: 503
        }
    }

    public var message: LocalizedMessage {
        switch self {
        case .invalidJSON:
            LocalizedMessage(en: "The body is not a JSON document.", ru: "Тело запроса не является JSON.")
        case .invalidBatch:
            LocalizedMessage(
                en: "The batch does not have the required form.",
                ru: "Пакет не соответствует формату."
            )
        case .unsupportedContentEncoding:
            LocalizedMessage(
                en: "Content-Encoding must be gzip or identity, given once.",
                ru: "Content-Encoding может быть gzip или identity и указывается один раз."
            )
        case .missingAppKey:
            LocalizedMessage(
                en: "No write key: send X-App-Key or app_key.",
                ru: "Нет ключа записи: передайте X-App-Key или app_key."
            )
        case .invalidAppKey:
            LocalizedMessage(
                en: "The write key is unknown or was revoked.",
                ru: "Ключ записи неизвестен или отозван."
            )
        case .appArchived:
            LocalizedMessage(
                en: "The app is archived and takes no events.",
                ru: "Приложение в архиве и не принимает события."
            )
        case .payloadTooLarge:
            LocalizedMessage(
                en: "The body exceeds 1,048,576 bytes after decompression; split the batch.",
                ru: "Тело больше 1 048 576 байт после распаковки; разделите пакет."
            )
        case .unsupportedMediaType:
            LocalizedMessage(
                en: "Content-Type must be application/json or text/plain.",
                ru: "Content-Type может быть application/json или text/plain."
            )
        case .appRateLimited:
            LocalizedMessage(
                en: "The app sends too many events; retry after the given pause.",
                ru: "Слишком много событий приложения; повторите после паузы."
            )
        case .internalError:
            LocalizedMessage(en: "Server error; retry the batch.", ru: "Ошибка сервера; повторите пакет.")
        case .storageUnavailable:
            LocalizedMessage(
                en: "The write was not confirmed; retry after the given pause.",
                ru: "Запись не подтверждена; повторите после паузы."
            )
        }
    }
}
