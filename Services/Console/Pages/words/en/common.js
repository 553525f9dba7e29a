export const platforms = {
  ios: 'iOS', android: 'Android', web: 'Web', macos: 'macOS', windows: 'Windows', linux: 'Linux', bot: 'Bot', server: 'Server', other: 'Other',
};

export const units = {
  now: 'just now', ms: '{n} ms', s: '{n} s', min: '{n} min', h: '{n} h', minS: '{min} min {s} s', hMin: '{h} h {min} min',
};

export const common = {
  skip: 'Skip to content', menu: 'Menu', close: 'Close', cancel: 'Cancel', save: 'Save', done: 'Done', retry: 'Try again', loading: 'Loading…',
  loaded: '{title} is loaded', search: 'Search', clear: 'Clear', copy: 'Copy', copied: 'Copied', copyFailed: 'Could not copy; the text is selected', more: 'Show more',
  showAll: { one: 'Show all {count} row', other: 'Show all {count} rows' }, nothingFound: 'Nothing found', none: '(none)', yes: 'Yes', no: 'No', add: 'Add', remove: 'Remove',
  confirmType: 'Type {text} to confirm', total: 'Total', csv: 'CSV', csvHint: 'Download as CSV', back: 'Back', learnMore: 'Learn more', optional: 'optional',
  copyRequest: 'Copy as Read API request', copyRequestShort: 'Copy request', copiedRequest: 'Request copied: it asks for what is on screen', actions: 'More actions',
  notFoundTitle: 'There is no such page', notFoundText: 'The address may be mistyped, or what it showed is gone.', appMissingTitle: 'There is no such app',
  appMissingText: 'It may have been deleted or merged into another.', toPortfolio: 'To all apps', archived: 'Archived', archivedNotice: 'This app is archived: it takes no events any more. Its reports stay.',
};

export const shell = {
  apps: 'Apps', app: 'App', organisation: 'Organisation', switchApp: 'Switch app', findApp: 'Find an app', noApps: 'No app found', newApp: 'New app', portfolio: 'All apps',
  audience: 'Audience', retention: 'Retention', realtime: 'Realtime', profiles: 'Profiles', integration: 'Integration', settings: 'Settings',
  apiKeys: 'API keys', members: 'Members', audit: 'Audit log', account: 'Account', signOut: 'Sign out', shortcuts: 'Keyboard shortcuts', version: 'Foreground {version}',
  theme: 'Theme', themeSystem: 'Like the system', themeLight: 'Light', themeDark: 'Dark', language: 'Language', preferences: 'Appearance and account',
  environment: 'Environment', production: 'Production', development: 'Development', allPlatforms: 'All platforms', platform: 'Platform', somePlatforms: { one: '{count} platform', other: '{count} platforms' },
};

export const states = {
  errorTitle: 'This could not be loaded', unreachable: 'The server cannot be reached. Check the connection and try again.',
  storage_unavailable: 'The storage is away for the moment. Nothing is lost; try again shortly.', rate_limited: 'Too many requests at once. Try again in a few seconds.',
  internal_error: 'Something went wrong on the server.', forbidden: 'This is not allowed from here. Reload the page and try again.',
  request: 'Request {id}', staleTitle: 'Not refreshed: these figures are from before. {reason}', stale: 'Could not be refreshed',
  freshness: 'Everything stored until {time} is in', freshnessAgo: 'Data through {ago}', days: 'Days in {zone}', emptyTitle: 'No data in this period', emptyText: 'Nobody was active, or the filters leave nobody.',
};

export const keys = {
  title: 'Keyboard shortcuts', go: 'Go to', here: 'On the page', search: 'Search', sheet: 'This sheet', copy: 'Copy the report as a request', close: 'Close what is open', then: 'then',
};
