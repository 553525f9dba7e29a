/** Words of the realtime page. */
export const realtime = {
  title: 'Realtime',
  activeNow: 'Active now',
  activeHint: 'People with an event in the last 30 minutes',
  sessions: 'Sessions begun',
  sessionsHint: 'In the last 30 minutes',
  lastEvent: 'Latest event',
  lastEventHint: 'By the time it happened',
  none: 'None in 30 minutes',
  perMinute: 'Sessions per minute',
  perMinuteSummary: 'Sessions that began in each of the last 30 minutes',
  zone: 'Times in {zone}',
  minute: 'Minute',
  running: 'still running',
  events: 'Latest events',
  eventsHint: { one: 'The latest event', other: 'The latest {count} events' },
  noEvents: 'Nothing yet',
  noEventsText:
    'Events appear here within seconds of being sent. See on the Integration page whether any arrive or are turned away.',
  toIntegration: 'Open Integration',
  otherEnvironment: 'Look at {environment}',
  pause: 'Pause',
  resume: 'Resume',
};

/** Words of everything that updates itself. */
export const live = {
  live: 'Live',
  updated: 'updated {ago}',
  paused: 'Paused',
  pausedHidden: 'Paused while the tab is hidden',
  stale: 'Not updating',
  connecting: 'Connecting…',
  retry: 'Try now',
};

/** Words of events and people, shared by the pages that list them. */
export const people = {
  time: 'Time',
  event: 'Event',
  person: 'Person',
  account: 'Account',
  anonymous: 'Anonymous install',
  platform: 'Platform',
  version: 'Version',
  system: 'System',
  device: 'Device',
  place: 'Place',
  environment: 'Environment',
  installId: 'Install ID',
  userId: 'User ID',
  session_start: 'Session start',
  session_end: 'Session end',
  lateBy: 'arrived {duration} later',
  clockAhead: 'Device clock {duration} ahead: {time}',
  clockBehind: 'Device clock {duration} behind: {time}',
  phone: 'Phone',
  tablet: 'Tablet',
  desktop: 'Desktop',
  tv: 'TV',
  watch: 'Watch',
  server: 'Server',
  bot: 'Bot',
  unknown: 'Unknown device',
  production: 'Production',
  development: 'Development',
};

/** Words of charts made of columns. */
export const bars = { table: 'Show as a table' };
