export const reports = {
  range: 'Period', presets: 'Ready periods', range_today: 'Today', range_yesterday: 'Yesterday', range_last_7: 'Last 7 days', range_last_28: 'Last 28 days', range_last_90: 'Last 90 days',
  range_last_365: 'Last 365 days', range_this_week: 'This week', range_last_week: 'Last week', range_this_month: 'This month', range_last_month: 'Last month',
  earlier: 'Period before', later: 'Period after', from: 'From', to: 'To', apply: 'Apply', daysMissing: 'Give both days.', daysReversed: 'The first day must not be after the last.',
  daysTooMany: 'A period has {max} days at most.', fullDays: 'Full days only (without today)', compareWith: 'Compare with {dates}', zoneHint: 'Days are those of {zone}, the app’s time zone.',
  addFilter: 'Filter', filters: 'Filters', removeFilter: 'Remove the filter {filter}', clearFilters: 'Clear all', unit: 'What is counted', persons: 'People', installs: 'Installs',
  unitHint: 'People are accounts with all their devices, or installs that never signed in.', unfinished: 'not over yet', unfinishedPoint: 'Not over yet: this may still rise',
  part: 'partly in the period', partPoint: 'Only a part of it lies in the period', showTable: 'Show as table', showChart: 'Show as chart', todayRuns: '{day} is not over in {zone}: its figures still rise.', comparedTo: 'Compared with {dates}',
  before: 'before: {value}', previous: 'Before', noCompare: 'No comparison',
};

export const dimensions = {
  platform: 'Platform', os_name: 'OS', os_version: 'OS version', app_version: 'App version', device_model: 'Device', device_type: 'Device type', country: 'Country', city: 'City', locale: 'Language',
};

export const deviceTypes = {
  phone: 'Phone', tablet: 'Tablet', desktop: 'Desktop', tv: 'TV', watch: 'Watch', server: 'Server', bot: 'Bot', unknown: 'Unknown',
};
