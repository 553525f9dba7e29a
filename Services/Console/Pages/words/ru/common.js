export const platforms = {
  ios: 'iOS', android: 'Android', web: 'Веб', macos: 'macOS', windows: 'Windows', linux: 'Linux', bot: 'Бот', server: 'Сервер', other: 'Другое',
};

export const units = {
  now: 'только что', ms: '{n} мс', s: '{n} с', min: '{n} мин', h: '{n} ч', minS: '{min} мин {s} с', hMin: '{h} ч {min} мин',
};

export const common = {
  skip: 'К содержанию', menu: 'Меню', close: 'Закрыть', cancel: 'Отмена', save: 'Сохранить', done: 'Готово', retry: 'Повторить', loading: 'Загрузка…',
  loaded: '{title}: загружено', search: 'Поиск', clear: 'Очистить', copy: 'Копировать', copied: 'Скопировано', copyFailed: 'Не удалось скопировать, текст выделен', more: 'Показать ещё',
  showAll: { one: 'Показать всю {count} строку', few: 'Показать все {count} строки', many: 'Показать все {count} строк', other: 'Показать все {count} строки' },
  nothingFound: 'Ничего не найдено', none: '(нет)', yes: 'Да', no: 'Нет', add: 'Добавить', remove: 'Убрать',
  confirmType: 'Для подтверждения введите {text}', total: 'Всего', csv: 'CSV', csvHint: 'Скачать в CSV', back: 'Назад', learnMore: 'Подробнее', optional: 'необязательно',
  copyRequest: 'Скопировать как запрос Read API', copyRequestShort: 'Скопировать запрос', copiedRequest: 'Запрос скопирован: он вернёт то, что на экране', actions: 'Другие действия',
  notFoundTitle: 'Такой страницы нет', notFoundText: 'Возможно, в адресе опечатка или показанного на ней больше нет.', appMissingTitle: 'Такого приложения нет',
  appMissingText: 'Возможно, его удалили или объединили с другим.', toPortfolio: 'Ко всем приложениям', archived: 'В архиве', archivedNotice: 'Приложение в архиве: события больше не принимаются. Отчёты остаются.',
};

export const shell = {
  apps: 'Приложения', app: 'Приложение', organisation: 'Организация', switchApp: 'Сменить приложение', findApp: 'Найти приложение', noApps: 'Приложение не найдено', newApp: 'Новое приложение', portfolio: 'Приложения',
  audience: 'Аудитория', retention: 'Удержание', realtime: 'Сейчас', profiles: 'Профили', integration: 'Интеграция', settings: 'Настройки',
  apiKeys: 'API-ключи', members: 'Участники', audit: 'Журнал', account: 'Аккаунт', signOut: 'Выйти', shortcuts: 'Горячие клавиши', version: 'Foreground {version}',
  theme: 'Тема', themeSystem: 'Как в системе', themeLight: 'Светлая', themeDark: 'Тёмная', language: 'Язык', preferences: 'Оформление и аккаунт',
  environment: 'Окружение', production: 'Production', development: 'Development', allPlatforms: 'Все платформы', platform: 'Платформа',
  somePlatforms: { one: '{count} платформа', few: '{count} платформы', many: '{count} платформ', other: '{count} платформы' },
};

export const states = {
  errorTitle: 'Не удалось загрузить', unreachable: 'Сервер недоступен. Проверьте соединение и повторите.',
  storage_unavailable: 'Хранилище сейчас недоступно. Ничего не потеряно, повторите чуть позже.', rate_limited: 'Слишком много запросов. Повторите через несколько секунд.',
  internal_error: 'На сервере произошла ошибка.', forbidden: 'Отсюда это запрещено. Обновите страницу и повторите.',
  request: 'Запрос {id}', staleTitle: 'Не обновлено: это прежние цифры. {reason}', stale: 'Не удалось обновить',
  freshness: 'Учтено всё, что сохранено до {time}', freshnessAgo: 'Данные: {ago}', days: 'Дни по времени {zone}', emptyTitle: 'За этот период данных нет', emptyText: 'Никто не был активен, или фильтры никого не оставили.',
};

export const keys = {
  title: 'Горячие клавиши', go: 'Перейти', here: 'На странице', search: 'Поиск', sheet: 'Эта подсказка', copy: 'Скопировать отчёт как запрос', close: 'Закрыть открытое', then: 'затем',
};
