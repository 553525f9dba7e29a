import { h } from '../core/dom.js';
import { dateTime, timeOfDay } from '../core/format.js';
import { t } from '../core/i18n.js';
import {
  device,
  eventBadge,
  personLink,
  place,
  platformName,
  system,
  timeNotes,
  twoLines,
} from './people.js';

/** The latest events; those that were not in `known` show that they are new. */
export function eventTable(ctx, events, known = null, { showsEnvironment = false } = {}) {
  const zone = ctx.app.timezone;
  const head = [
    'time',
    'event',
    'person',
    'platform',
    'device',
    'place',
    showsEnvironment ? 'environment' : null,
  ].filter(Boolean);
  return h(
    'div',
    { class: 'table-wrap', tabindex: '0', role: 'group', aria: { label: t('realtime.events') } },
    h(
      'table',
      { class: 'table feed events' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((name) => h('th', { scope: 'col' }, t(`people.${name}`))),
        ),
      ),
      h(
        'tbody',
        {},
        events.map((event) =>
          h(
            'tr',
            {
              class: known && !known.has(event.insert_id) ? 'is-new' : null,
              data: { event: event.insert_id },
            },
            h(
              'td',
              { class: 'nowrap' },
              h(
                'time',
                { datetime: event.event_time, title: dateTime(event.event_time, zone, { seconds: true }) },
                shortTime(event.event_time, zone),
              ),
              timeNotes(event, zone, { short: true }),
            ),
            h('td', {}, eventBadge(event.name)),
            h(
              'td',
              { class: 'person-cell' },
              personLink(ctx, event.person_key, event.environment ?? ctx.environment),
            ),
            h('td', {}, twoLines(platformName(event.platform), event.app_version)),
            h('td', {}, twoLines(device(event), system(event))),
            h(
              'td',
              { class: event.city || event.country ? null : 'is-none' },
              twoLines(event.city ?? place(event), event.city ? place({ country: event.country }) : null),
            ),
            showsEnvironment
              ? h(
                  'td',
                  { class: event.environment === 'production' ? 'is-usual' : null },
                  h(
                    'span',
                    { class: ['badge', event.environment === 'development' && 'warn'] },
                    t(`people.${event.environment}`),
                  ),
                )
              : null,
          ),
        ),
      ),
    ),
  );
}

/** Today's times without the date. */
function shortTime(iso, zone) {
  const isToday = Date.now() - Date.parse(iso) < 20 * 3_600_000;
  return isToday ? timeOfDay(iso, zone, { seconds: true }) : dateTime(iso, zone, { seconds: true });
}
