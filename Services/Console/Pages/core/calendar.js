import { serverNow } from './api.js';

const dayMs = 86_400_000;

/** The calendar day, '2026-11-30', that an instant has in a zone. */
export function dayIn(zone, instant = serverNow()) {
  try {
    const parts = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }).formatToParts(instant);
    const part = (type) => parts.find((one) => one.type === type).value;
    return `${part('year')}-${part('month')}-${part('day')}`;
  } catch {
    return instant.toISOString().slice(0, 10);
  }
}

/** The day a number of days after another; before it when negative. */
export function addDays(day, count) {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);
}

/** How many days lie from one day to another, both included. */
export function daysBetween(from, to) {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs) + 1;
}

/** The Monday of a day's week. */
export function weekStart(day) {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

/** The first day of a day's month. */
export function monthStart(day) {
  return `${day.slice(0, 8)}01`;
}

/** Whether a text is a day of the calendar. */
export function isDay(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text ?? '')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
