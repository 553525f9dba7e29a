export const retention = {
  curve: 'Среднее удержание', cohorts: 'Когорты', caption: 'Доля каждой когорты, активная в следующие дни или недели', cohort: 'Когорты по', cohort_day: 'День', cohort_week: 'Неделя', unit: 'Что считается',
  unit_persons: 'Люди', unit_installs: 'Установки', show: 'В ячейках', show_share: 'Доля', show_people: 'Число', periods: 'Сколько периодов', size: 'Размер', average: 'Среднее', period_day: 'День', period_week: 'Неделя',
  periods_day: { one: '{count} день', few: '{count} дня', many: '{count} дней', other: '{count} дня' }, periods_week: { one: '{count} неделя', few: '{count} недели', many: '{count} недель', other: '{count} недели' },
  who_day: 'Все, чей первый день попал в период', who_week: 'Все, чья первая неделя попала в период', averageNote: 'По всем людям когорт, период которых закончился: крупные когорты весят больше.',
  unfinishedNote: 'Штриховка: ещё не закончилось', unfinished: 'ещё не закончилось', cell: '{cohort}, {period}: {returned} из {size} ({share})', curveName: 'Среднее удержание снижается до {share}: {last} {index}',
  emptyTitle: 'Никто не пришёл впервые', emptyText: 'Первых событий за этот период нет, или фильтры никого не оставили.',
};
