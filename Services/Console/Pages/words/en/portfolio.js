export const portfolio = {
  yesterday: 'The last full day of every app', persons: 'People', installs: 'Installs', unit: 'What is counted', showArchived: 'Show archived', sort: 'Sort by',
  name: 'App', trend: '30 days', dau: 'DAU', change: 'Against last week', new: 'New', sessions: 'Sessions', d1: 'D1', d7: 'D7', platforms: 'Platforms', was: 'was {value}',
  hint_dau: 'Active on the app’s last full day', hint_change: 'DAU against the same day of the week before', hint_new: 'First seen on that day', hint_sessions: 'Begun on that day',
  hint_d1: 'Share that came back the day after their first: of the seven newest days for which that day is over', hint_d7: 'Share that came back on day seven: of the seven newest days for which that day is over',
  trendName: 'Active per day over 30 days, between {min} and {max}, {last} on the last', note: 'Each app’s day is of its own time zone. People on several platforms are in the share of each.',
  quiet: 'No events in 30 days: integrate', emptyTitle: 'No apps yet', emptyText: 'Make an app, put its key into your build, and see who uses it within seconds.', createFirst: 'Create your first app',
  change_merge: '{name} is being merged into another app.', change_deletion: '{name} is being deleted.', changeRows: { one: '{count} row done', other: '{count} rows done' },
};
