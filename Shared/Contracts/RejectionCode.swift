/// Why an event was turned away while the rest of its batch went on.
///
/// The raw value is a contract: reply code, metric label and documentation row. Never rename or reuse one.
public enum RejectionCode: String, Error, Sendable, CaseIterable {
    case missingField = "missing_field"
    case invalidField = "invalid_field"
    case unknownEventName = "unknown_event_name"
    case durationRequired = "duration_required"
    case eventTooOld = "event_too_old"
    case userIDLooksLikePII = "user_id_looks_like_pii"
    case installRateLimited = "install_rate_limited"

    /// Whether the client should keep the event and send it again later.
    public var isRetryable: Bool { self == .installRateLimited }

    public var message: LocalizedMessage {
        switch self {
        case .missingField:
            LocalizedMessage(
                en: "A required field is missing.",
                ru: "Не хватает обязательного поля."
            )
        case .invalidField:
            LocalizedMessage(
                en: "The field has a value that cannot be accepted.",
                ru: "Значение поля не может быть принято."
            )
        case .unknownEventName:
            LocalizedMessage(
                en: "name must be session_start or session_end.",
                ru: "name должен быть session_start или session_end."
            )
        case .durationRequired:
            LocalizedMessage(
                en: "session_end needs duration_ms.",
                ru: "Для session_end нужен duration_ms."
            )
        case .eventTooOld:
            LocalizedMessage(
                en: "The event is more than 7 days old after clock correction.",
                ru: "С поправкой часов событию больше 7 дней."
            )
        case .userIDLooksLikePII:
            LocalizedMessage(
                en: "user_id resembles an e-mail address or a phone number; send an opaque account id.",
                ru: "user_id напоминает почту или телефон; нужен непрозрачный идентификатор аккаунта."
            )
        case .installRateLimited:
            LocalizedMessage(
                en: "This installation sends too many events; keep the event and send it in a minute.",
                ru: "Слишком много событий от этой установки; отправьте событие через минуту."
            )
        }
    }
}

/// What was corrected in an event that was accepted.
public enum WarningCode: String, Sendable, CaseIterable {
    case timestampInFutureClamped = "timestamp_in_future_clamped"
    case duplicateInsertIDInBatch = "duplicate_insert_id_in_batch"
    case geoIPInvalid = "geo_ip_invalid"
    case platformMissing = "platform_missing"

    public var message: LocalizedMessage {
        switch self {
        case .timestampInFutureClamped:
            LocalizedMessage(
                en: "The event lay more than 10 minutes ahead; the time of receipt was used.",
                ru: "Событие опережало время приёма больше чем на 10 минут; взято время приёма."
            )
        case .duplicateInsertIDInBatch:
            LocalizedMessage(
                en: "insert_id repeats within the batch; the first event counts.",
                ru: "insert_id повторяется в пакете; учтено первое событие."
            )
        case .geoIPInvalid:
            LocalizedMessage(
                en: "context.ip is not an IP address; country and city stay unknown.",
                ru: "context.ip не IP-адрес; страна и город не определены."
            )
        case .platformMissing:
            LocalizedMessage(
                en: "No platform in context or key and the app has several; stored as other.",
                ru: "Платформа не указана, а у приложения их несколько; сохранено как other."
            )
        }
    }
}

/// A text for people, in the languages the product speaks.
///
/// Clients must not branch on it: only the code is a contract.
public struct LocalizedMessage: Sendable, Equatable {
    public let en: String
    public let ru: String

    public init(en: String, ru: String) {
        self.en = en
        self.ru = ru
    }

    public func text(in language: MessageLanguage) -> String {
        switch language {
        case .english: en
        case .russian: ru
        }
    }
}

/// The language of `message` texts, chosen by `Accept-Language`.
public enum MessageLanguage: Sendable, Equatable {
    case english, russian

    /// Russian when its weight is above English's; English when neither is named.
    public init(acceptLanguage header: String?) {
        guard let header else {
            self = .english
            return
        }
        var weights: [Substring: Double] = [:]
        for part in header.prefix(200).split(separator: ",") {
            let pieces = part.split(separator: ";").map { $0.trimmedBlanks }
            guard let tag = pieces.first else { continue }
            let primary = tag.prefix { $0 != "-" }
            let quality = pieces.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            weights[primary] = max(weights[primary] ?? 0, quality ?? 1)
        }
        let russian = weights["ru"] ?? 0
        self = russian > 0 && russian > (weights["en"] ?? 0) ? .russian : .english
    }
}

extension Substring {
    fileprivate var trimmedBlanks: Substring {
        var rest = self.drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
