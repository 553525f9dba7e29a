export const retention = {
  curve: 'Average retention', cohorts: 'Cohorts', caption: 'Share of each cohort that was active on later days or weeks', cohort: 'Cohorts by', cohort_day: 'Day', cohort_week: 'Week', unit: 'What is counted',
  unit_persons: 'People', unit_installs: 'Installs', show: 'Cells show', show_share: 'Share', show_people: 'Number', periods: 'How many periods', size: 'Size', average: 'Average', period_day: 'Day', period_week: 'Week',
  periods_day: { one: '{count} day', other: '{count} days' }, periods_week: { one: '{count} week', other: '{count} weeks' },
  who_day: 'Everybody whose first day lies in', who_week: 'Everybody whose first week lies in', averageNote: 'Over all people of the cohorts whose period is over, so large cohorts weigh more.',
  unfinishedNote: 'Hatched: not over yet', unfinished: 'not over yet', cell: '{cohort}, {period}: {returned} of {size} ({share})', curveName: 'Average retention falls to {share} on {last} {index}',
  emptyTitle: 'Nobody came for the first time', emptyText: 'No first events lie in this period, or the filters leave none.',
};
