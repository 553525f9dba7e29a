import { get } from '../core/api.js';
import { dayIn } from '../core/calendar.js';
import { fill, h } from '../core/dom.js';
import { day, dateTime, duration, timeOfDay } from '../core/format.js';
import { t } from '../core/i18n.js';
import { device, place, platformName, shortId, system, timeNotes } from './people.js';
import { emptyState, explain } from './states.js';

const pageSize = 50;

/** A person's sessions by day, newest first, with a button for those before. */
export function sessionFeed(ctx, profile) {
  const zone = ctx.app.timezone;
  const rows = h('div', { class: 'session-feed' });
  const foot = h('div', { class: 'table-more session-more' });
  const shown = [];
  let before = null;
  let lastDay = null;
  let group = null;
  add(profile);
  return h(
    'section',
    { class: 'card', aria: { labelledby: 'sessions-title' } },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'sessions-title' }, t('person.sessions')),
      h('span', { class: 'small muted' }, t('person.sessionsHint', { zone })),
    ),
    shown.length
      ? [rows, foot]
      : emptyState({ title: t('person.noSessions'), text: t('person.noSessionsText'), iconName: 'clock' }),
  );

  function add(page) {
    for (const session of page.sessions) {
      const ownDay = dayIn(zone, new Date(session.started_at));
      if (ownDay !== lastDay) {
        lastDay = ownDay;
        group = h('ul', { class: 'session-list' });
        rows.append(h('h3', { class: 'session-day' }, day(ownDay, 'long')), group);
      }
      group.append(row(session));
      shown.push(session);
    }
    before = page.next_before;
    drawFoot();
  }

  function row(session) {
    return h(
      'li',
      { class: 'session' },
      h(
        'time',
        {
          class: 'session-time number',
          datetime: session.started_at,
          title: dateTime(session.started_at, zone, { seconds: true }),
        },
        timeOfDay(session.started_at, zone, { seconds: true }),
      ),
      h(
        'span',
        { class: 'session-duration number' },
        session.duration_ms === null
          ? h('span', { class: 'muted', title: t('person.openHint') }, t('person.open'))
          : duration(session.duration_ms),
      ),
      h(
        'span',
        { class: 'session-what' },
        h(
          'span',
          {},
          h('span', { class: 'strong' }, platformName(session.platform)),
          session.app_version ? ` ${session.app_version}` : '',
        ),
        h(
          'span',
          { class: 'soft small' },
          [system(session), device(session), place(session)].filter((text) => text !== '–').join(' · '),
        ),
        timeNotes(session, zone),
      ),
      h(
        'span',
        {
          class: 'session-install mono small muted',
          title: `${t('people.installId')} ${session.install_id}`,
        },
        shortId(session.install_id),
      ),
    );
  }

  function drawFoot(error = null) {
    const count = shown.length;
    const more = before
      ? h(
          'button',
          { type: 'button', class: 'button', id: 'more-sessions', on: { click: loadMore } },
          t('person.loadMore'),
        )
      : null;
    fill(
      foot,
      more,
      error
        ? h('span', { class: 'field-error', role: 'alert' }, explain(error))
        : h(
            'span',
            { class: 'small muted', role: 'status' },
            t(before ? 'person.shown' : 'person.all', { count }),
          ),
    );
  }

  async function loadMore(event) {
    event.target.disabled = true;
    event.target.textContent = t('person.loadingMore');
    const path = `/v1/apps/${encodeURIComponent(ctx.app.id)}/profiles/${encodeURIComponent(ctx.params.person)}`;
    try {
      add(
        await get(
          path,
          { environment: ctx.environment, sessions_limit: pageSize, before },
          { signal: ctx.signal },
        ),
      );
      document.getElementById('more-sessions')?.focus({ preventScroll: true });
    } catch (error) {
      if (error.name !== 'AbortError') drawFoot(error);
    }
  }
}
