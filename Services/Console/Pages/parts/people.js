import { h } from '../core/dom.js';
import { country, dateTime, duration, platform } from '../core/format.js';
import { locale, t } from '../core/i18n.js';
import { icon } from './icon.js';

/** A person's key taken apart: {isUser, id}. */
export function readPersonKey(key) {
  return { isUser: key.startsWith('u:'), id: key.slice(2) };
}

/** An id short enough for a table; the whole of a short one. */
export function shortId(id) {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id) ? id.slice(0, 8) : id;
}

/** The address of a person's page in the environment on screen. */
export function personPath(ctx, key) {
  const query = ctx.environment === 'development' ? '?environment=development' : '';
  return `/apps/${encodeURIComponent(ctx.app.id)}/profiles/${encodeURIComponent(key)}${query}`;
}

/** A link to a person's page, with a sign of whether it is an account or an installation that never signed in. */
export function personLink(ctx, key, environment = ctx.environment) {
  const { isUser, id } = readPersonKey(key);
  return h(
    'a',
    {
      class: 'person-link',
      href: personPath({ app: ctx.app, environment }, key),
      title: `${t(isUser ? 'people.account' : 'people.anonymous')} ${id}`,
    },
    h(
      'span',
      { class: ['person-mark', isUser && 'is-user'] },
      icon(isUser ? 'user' : 'profiles', { size: 12 }),
    ),
    h('span', { class: ['ellipsis', !isUser && 'mono'] }, shortId(id)),
  );
}

/** Which event it is, in words. */
export function eventBadge(name) {
  const isStart = name === 'session_start';
  return h(
    'span',
    { class: ['badge', isStart ? 'good' : ''] },
    h('span', { class: 'dot', aria: { hidden: 'true' } }),
    t(`people.${name}`),
  );
}

/** The operating system of an event, an install or a session in words; a dash when unknown. */
export function system(item) {
  return [item.os_name, item.os_version].filter(Boolean).join(' ') || '–';
}

/** The device in words. */
export function device(item) {
  if (item.device_model) return item.device_model;
  return item.device_type && item.device_type !== 'unknown' ? t(`people.${item.device_type}`) : '–';
}

/** Two lines of one cell, the second one smaller; the whole is its title. */
export function twoLines(first, second) {
  return h(
    'span',
    { class: 'two-lines', title: [first, second].filter((text) => text && text !== '–').join(' · ') },
    h('span', {}, first),
    second && second !== '–' ? h('span', {}, second) : null,
  );
}

/** Where it was, in words: city and country. */
export function place(item) {
  return [item.city, item.country ? country(item.country) : null].filter(Boolean).join(', ') || '–';
}

/** A platform's name; a dash for none. */
export function platformName(code) {
  return code ? platform(code) : '–';
}

const noticeMs = 60_000;

/**
 * Says how far the device's clock was off, and how late an event arrived; null when neither is worth a word.
 *
 * Networks and queues always take a little: differences below a minute say nothing.
 */
export function timeNotes(item, zone, { short = false } = {}) {
  const happened = Date.parse(item.event_time ?? item.started_at);
  const ahead = Date.parse(item.client_time) - happened;
  const notes = [];
  const words = [];
  if (Math.abs(ahead) >= noticeMs) {
    notes.push(
      t(ahead > 0 ? 'people.clockAhead' : 'people.clockBehind', {
        duration: spell(Math.abs(ahead)),
        time: dateTime(item.client_time, zone, { seconds: true }),
      }),
    );
    words.push(`${ahead > 0 ? '+' : '−'}${spell(Math.abs(ahead))}`);
  }
  const late = item.received_at ? Date.parse(item.received_at) - happened : 0;
  if (late >= noticeMs) {
    notes.push(t('people.lateBy', { duration: spell(late) }));
    words.push(notes.at(-1));
  }
  if (!notes.length) return null;
  const whole = notes.join(' · ');
  if (!short) return h('span', { class: 'time-note' }, icon('clock', { size: 12 }), whole);
  return h(
    'span',
    { class: 'time-note', title: whole },
    icon('clock', { size: 12 }),
    h('span', { aria: { hidden: 'true' } }, words.join(' · ')),
    h('span', { class: 'visually-hidden' }, whole),
  );
}

/** A difference of clocks can be years, which hours would not tell. */
function spell(milliseconds) {
  const days = Math.round(milliseconds / 86_400_000);
  return days >= 2
    ? new Intl.NumberFormat(locale(), { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days)
    : duration(milliseconds);
}
