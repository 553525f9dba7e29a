export const audience = {
  summary: 'Сводка', active: 'Активные', activePeople: 'Активные люди', activeInstalls: 'Активные установки', new: 'Новые', sessions: 'Сессии', avg_duration_ms: 'Средняя сессия', median_duration_ms: 'Медианная сессия',
  hint_active: 'С сессией или другим событием за период, каждый один раз', hint_new: 'Чьё самое первое событие попало в период', hint_sessions: 'Сессии, начавшиеся в периоде',
  hint_avg_duration_ms: 'Среднее по завершённым сессиям', hint_median_duration_ms: 'Половина завершённых сессий короче', show: 'Показать на графике: {metric}', metric: 'Показатель',
  series: '{metric} по времени', by: 'По', hour: 'Час', day: 'День', week: 'Неделя', month: 'Месяц', hourHint: 'По часам — не больше 7 дней', split: 'По платформам', period: 'Период', value: 'Значение', before: 'Прошлый период', change: 'Изменение',
  chartName: '{metric}, {dates}, от {min} до {max}', chartNameEmpty: '{metric}, {dates}, данных нет',
  rolling: 'Активные за день, неделю и месяц', dau: 'DAU', wau: 'WAU', mau: 'MAU', dauHint: 'Активные в этот день', wauHint: 'Активные за 7 дней по этот день', mauHint: 'Активные за 30 дней по этот день',
  stickiness: 'Липкость', stickinessHint: 'Доля DAU в MAU за {day}', rollingNote: 'DAU — за день, WAU — за 7, MAU — за 30 дней, которые им заканчиваются.', rollingName: 'DAU, WAU и MAU, {dates}',
  breakdown: 'Разбивка', share: 'Доля', breakdownNote: 'Человек с двумя значениями есть в обеих строках, поэтому в сумме строк может быть больше, чем всего.', filterBy: 'Показать только {value}',
  rows: { one: '{count} значение', few: '{count} значения', many: '{count} значений', other: '{count} значения' },
  searchValues: 'Поиск по значениям', emptyTitle: 'За этот период никого', emptyText: 'Не было ни сессий, ни событий, или фильтры никого не оставили. Попробуйте другой период или уберите фильтры.',
};
