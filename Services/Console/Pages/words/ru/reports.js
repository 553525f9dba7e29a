export const reports = {
  range: 'Период', presets: 'Готовые периоды', range_today: 'Сегодня', range_yesterday: 'Вчера', range_last_7: 'Последние 7 дней', range_last_28: 'Последние 28 дней', range_last_90: 'Последние 90 дней',
  range_last_365: 'Последние 365 дней', range_this_week: 'Эта неделя', range_last_week: 'Прошлая неделя', range_this_month: 'Этот месяц', range_last_month: 'Прошлый месяц',
  earlier: 'Предыдущий период', later: 'Следующий период', from: 'С', to: 'По', apply: 'Применить', daysMissing: 'Укажите оба дня.', daysReversed: 'Первый день не может быть позже последнего.',
  daysTooMany: 'В периоде не больше {max} дней.', fullDays: 'Только полные дни (без сегодняшнего)', compareWith: 'Сравнить с {dates}', zoneHint: 'Дни — по {zone}, часовому поясу приложения.',
  addFilter: 'Фильтр', filters: 'Фильтры', removeFilter: 'Убрать фильтр {filter}', clearFilters: 'Сбросить', unit: 'Что считается', persons: 'Люди', installs: 'Установки',
  unitHint: 'Люди — это аккаунты со всеми их устройствами и установки, в которых никто не входил.', unfinished: 'ещё не закончилось', unfinishedPoint: 'Ещё не закончилось: может вырасти',
  part: 'частично в периоде', partPoint: 'В период попадает лишь часть', showTable: 'Показать таблицей', showChart: 'Показать графиком', todayRuns: '{day} по {zone} ещё не закончилось: цифры растут.', comparedTo: 'В сравнении с {dates}',
  before: 'было: {value}', previous: 'Было', noCompare: 'Без сравнения',
};

export const dimensions = {
  platform: 'Платформа', os_name: 'ОС', os_version: 'Версия ОС', app_version: 'Версия приложения', device_model: 'Устройство', device_type: 'Тип устройства', country: 'Страна', city: 'Город', locale: 'Язык',
};

export const deviceTypes = {
  phone: 'Телефон', tablet: 'Планшет', desktop: 'Компьютер', tv: 'Телевизор', watch: 'Часы', server: 'Сервер', bot: 'Бот', unknown: 'Неизвестно',
};
