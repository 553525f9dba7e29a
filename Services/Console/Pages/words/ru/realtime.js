/** Words of the realtime page. */
export const realtime = {
  title: 'Сейчас',
  activeNow: 'Сейчас активны',
  activeHint: 'Люди с событием за последние 30 минут',
  sessions: 'Начато сессий',
  sessionsHint: 'За последние 30 минут',
  lastEvent: 'Последнее событие',
  lastEventHint: 'По времени, когда оно произошло',
  none: 'За 30 минут нет',
  perMinute: 'Сессии по минутам',
  perMinuteSummary: 'Сессии, начатые в каждую из последних 30 минут',
  zone: 'Время: {zone}',
  minute: 'Минута',
  running: 'ещё идёт',
  events: 'Последние события',
  eventsHint: {
    one: 'Последнее {count} событие',
    few: 'Последние {count} события',
    many: 'Последние {count} событий',
    other: 'Последние {count} события',
  },
  noEvents: 'Пока пусто',
  noEventsText:
    'События появляются здесь через несколько секунд после отправки. На странице «Интеграция» видно, приходят ли они и нет ли отклонённых.',
  toIntegration: 'Открыть интеграцию',
  otherEnvironment: 'Показать: {environment}',
  pause: 'Приостановить',
  resume: 'Продолжить',
};

/** Words of everything that updates itself. */
export const live = {
  live: 'В реальном времени',
  updated: 'обновлено {ago}',
  paused: 'Приостановлено',
  pausedHidden: 'Приостановлено, пока вкладка скрыта',
  stale: 'Не обновляется',
  connecting: 'Подключение…',
  retry: 'Повторить',
};

/** Words of events and people, shared by the pages that list them. */
export const people = {
  time: 'Время',
  event: 'Событие',
  person: 'Человек',
  account: 'Аккаунт',
  anonymous: 'Анонимная установка',
  platform: 'Платформа',
  version: 'Версия',
  system: 'Система',
  device: 'Устройство',
  place: 'Место',
  environment: 'Окружение',
  installId: 'ID установки',
  userId: 'ID пользователя',
  session_start: 'Начало сессии',
  session_end: 'Конец сессии',
  lateBy: 'пришло на {duration} позже',
  clockAhead: 'Часы устройства спешат на {duration}: {time}',
  clockBehind: 'Часы устройства отстают на {duration}: {time}',
  phone: 'Телефон',
  tablet: 'Планшет',
  desktop: 'Компьютер',
  tv: 'Телевизор',
  watch: 'Часы',
  server: 'Сервер',
  bot: 'Бот',
  unknown: 'Неизвестное устройство',
  production: 'Production',
  development: 'Development',
};

/** Words of charts made of columns. */
export const bars = { table: 'Показать таблицей' };
