/** Words of the integration page. */
export const integration = {
  title: 'Integration',
  connect: 'Connect',
  health: 'Health',

  waiting: 'Waiting for your first event',
  waitingText: 'Send one with a snippet below. This page turns green by itself within seconds.',
  received: 'Events are arriving',
  firstReceived: 'Your first event has arrived',
  receivedText: 'The latest one happened {ago}.',
  quiet: 'Nothing has arrived for a day',
  quietText: 'The latest event happened {ago}. Does the app in your users’ hands still send?',
  rejecting: 'Events arrive, but some are turned away',
  rejectingText:
    '{share} of what was sent in the last 24 hours was turned away. The reasons are on the Health tab.',
  onlyRejected: 'Events are sent, but all are turned away',
  onlyRejectedText: {
    one: '{count} was turned away in the last 24 hours. The reason is on the Health tab.',
    other: '{count} were turned away in the last 24 hours. The reasons are on the Health tab.',
  },
  archived: 'The app is archived',
  archivedText: 'Whatever is sent is turned away with app_archived. Restore the app in its settings.',
  accepted: 'Accepted in 24 h',
  rejected: 'Turned away in 24 h',
  acceptedName: 'Accepted',
  rejectedName: 'Turned away',
  toRealtime: 'See it on Realtime',
  toHealth: 'Show health',

  ingestUrl: 'Ingest address',
  keys: 'Write keys',
  keysHint: 'A write key is built into the app and may be public. It can send events and read nothing.',
  manageKeys: 'Issue or revoke keys',
  anyPlatform: 'Any platform',
  noKeys: 'No write key is left',
  noKeysText: 'Every key has been revoked, so that nothing can be sent. Issue a new one in the settings.',
  lastUsed: 'used {ago}',
  copyKey: 'Copy the key of {platform}',

  snippets: 'Ready to paste',
  snippetsHint:
    'The address and the key are yours already. No SDK: read it, change it, keep it in your repository.',
  sendAs: 'Events are sent as',
  sendAsHint: 'Development stays out of the production reports.',
  withKey: 'Key',
  freshIds: 'Every copy has ids of its own.',

  curlNote: 'Paste it into a terminal: it sends one whole session of a minute.',
  curlAnswer: 'The answer {answer} comes only after the events are stored.',
  swiftNote: 'Swift 6, iOS 17 and later, also tvOS. Three files; debug builds send development.',
  macNote: 'Swift 6, macOS 14 and later. Three files; debug builds send development.',
  kotlinNote: 'Android 8 and later. Three files; debuggable builds send development.',
  webNote:
    'Save it as sessions.js. A session is the time the tab is visible; its end is sent by sendBeacon, which survives closing the tab. Pages on localhost send development.',
  reactNativeNote: 'Bare or Expo, iOS and Android from one bundle. Development builds send development.',
  flutterNote: 'iOS, Android and desktop from one code. Debug builds send development.',
  nodeNote: 'Node 20 and later, no packages. A session is activity without a pause of half an hour.',
  pythonNote:
    'Python 3.9 and later, standard library only. A session is activity without a pause of half an hour.',
  phpNote: 'PHP 8.1 and later with curl. What could not be sent waits in a file for the next request.',
  goNote: 'Go 1.21 and later, standard library only. A session is activity without a pause of half an hour.',
  noteUser:
    'Give the account’s ID after signing in, and nothing after signing out. Never an e-mail address or a telephone number: those are turned away.',
  noteInstall: 'The install ID is a UUID, made once and kept. Lost, the person counts as new.',
  noteTelegram: 'A Telegram ID is public: send an HMAC of it instead.',

  byHour: 'Accepted and turned away by hour',
  byHourHint: 'The last 24 hours, times in {zone}',
  hour: 'Hour',
  events: 'Live events',
  eventsHint: 'Both environments, newest first',
  noEvents: 'No event yet',
  noEventsText: 'It appears here a few seconds after it is sent.',
  rejections: 'Turned away lately',
  rejectionsHint: 'Kept for 7 days',
  noRejections: 'Nothing was turned away',
  noRejectionsText: 'Events that break a rule appear here with the reason.',
  reasons: 'Why events are turned away',
  reasonsHint: 'The last 24 hours, both environments',
  received_at: 'Received',
  code: 'Reason',
  field: 'Field',
  insertId: 'Event',
  count: 'Events',
  share: 'Share',
  fields: 'Fields',
  clients: 'Versions that send them',
  clientsTitle: 'Client versions',
  clientsHint: 'Accepted in the last 24 hours',
  noClients: 'No client in the last 24 hours',
  noClientsText: 'Versions appear here as they send.',
  lastSeen: 'Latest event',
  withoutVersion: 'no version',
  whatToDo: 'What to do',
  retryable: 'Sent again by itself',
};

/** What each reason means and what helps. */
export const reasons = {
  missing_field: {
    title: 'A required field is missing',
    todo: 'Each event needs insert_id, name, timestamp, install_id and session_id. The field below is the one that was absent or null.',
  },
  invalid_field: {
    title: 'A field has a value that cannot be taken',
    todo: 'Ids are hyphenated UUIDs, times RFC 3339 with an offset, durations whole milliseconds up to a day. Look at the field named below in the version named below.',
  },
  unknown_event_name: {
    title: 'The event has another name',
    todo: 'Only session_start and session_end are taken. Leave other events out of the batch.',
  },
  duration_required: {
    title: 'A session_end without duration',
    todo: 'Measure the session with a monotonic clock and send duration_ms with every session_end.',
  },
  event_too_old: {
    title: 'Older than seven days',
    todo: 'Drop events older than seven days before sending, and set sent_at anew at each attempt: an old sent_at makes fresh events look old.',
  },
  user_id_looks_like_pii: {
    title: 'The user ID looks like an e-mail address or a telephone number',
    todo: 'Send the account’s own ID from your database instead, or a hash that nobody can turn back.',
  },
  install_rate_limited: {
    title: 'One installation sends too much',
    todo: 'Up to 1,000 events at once and 100 a minute are taken. Keep these events and send them in a minute; look for a loop that starts sessions.',
  },
  invalid_json: {
    title: 'The body is no JSON',
    todo: 'Look at how the body is written and compressed. The whole batch was refused.',
  },
  invalid_batch: {
    title: 'The batch is malformed',
    todo: 'It needs sent_at and 1 to 500 events; a key in the body must equal the one in the header.',
  },
  unsupported_content_encoding: {
    title: 'Compressed in another way',
    todo: 'Send the body plain or as gzip.',
  },
  missing_app_key: { title: 'No write key', todo: 'Send X-App-Key, or app_key in the body.' },
  invalid_app_key: {
    title: 'The write key is unknown or revoked',
    todo: 'Build the app with a key of this page.',
  },
  app_archived: {
    title: 'The app is archived',
    todo: 'Restore it in the settings. Clients keep their queue meanwhile.',
  },
  payload_too_large: { title: 'The batch is larger than 1 MiB', todo: 'Send fewer events at once.' },
  unsupported_media_type: { title: 'Another Content-Type', todo: 'Send application/json or text/plain.' },
  app_rate_limited: {
    title: 'More than 2,000 events a second',
    todo: 'Spread the load: wait as long as Retry-After says, with some randomness.',
  },
  other: { title: 'Turned away', todo: 'Look up the code in the documentation of the ingest API.' },
};
