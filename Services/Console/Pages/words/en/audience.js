export const audience = {
  summary: 'Summary', active: 'Active', activePeople: 'Active people', activeInstalls: 'Active installs', new: 'New', sessions: 'Sessions', avg_duration_ms: 'Average session', median_duration_ms: 'Median session',
  hint_active: 'With a session or another event in the period, each counted once', hint_new: 'Whose first event ever lies in the period', hint_sessions: 'Sessions that began in the period',
  hint_avg_duration_ms: 'Mean over the sessions that have ended', hint_median_duration_ms: 'Half of the ended sessions were shorter', show: 'Show {metric} over time', metric: 'Metric',
  series: '{metric} over time', by: 'By', hour: 'Hour', day: 'Day', week: 'Week', month: 'Month', hourHint: 'By hour, 7 days at most', split: 'By platform', period: 'Period', value: 'Value', before: 'Period before', change: 'Change',
  chartName: '{metric} from {dates}, between {min} and {max}', chartNameEmpty: '{metric} from {dates}, without data',
  rolling: 'Daily, weekly and monthly active', dau: 'DAU', wau: 'WAU', mau: 'MAU', dauHint: 'Active on the day', wauHint: 'Active in the 7 days that end with it', mauHint: 'Active in the 30 days that end with it',
  stickiness: 'Stickiness', stickinessHint: 'DAU as a share of MAU, on {day}', rollingNote: 'DAU is of the day, WAU of the 7 and MAU of the 30 days that end with it.', rollingName: 'DAU, WAU and MAU from {dates}',
  breakdown: 'Breakdown', share: 'Share', breakdownNote: 'Somebody with two values is in both rows, so rows may add up to more than the total.', filterBy: 'Show only {value}', rows: { one: '{count} value', other: '{count} values' },
  searchValues: 'Search values', emptyTitle: 'Nobody in this period', emptyText: 'No session or event in it, or the filters leave nobody. Another period or fewer filters may show more.',
};
