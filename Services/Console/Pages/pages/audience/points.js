import { addDays } from '../../core/calendar.js';
import { serverNow } from '../../core/api.js';
import { day, dayRange, month } from '../../core/format.js';

/**
 * The points of a series with names for axis and reading.
 *
 * `incomplete` is 'running' for a bucket that is not over, 'cut' for one that lies only partly in the period.
 * Moments that have not begun have no value, instead of zero.
 */
export function prepare(points, { granularity, from, to }) {
  const now = serverNow().getTime();
  const isOneDay = from === to;
  const seen = new Map();
  for (const point of points) seen.set(point.ts.slice(0, 16), (seen.get(point.ts.slice(0, 16)) ?? 0) + 1);
  // The hour that the end of summer time repeats is told apart by its offset.
  const offset = (ts) => (seen.get(ts.slice(0, 16)) > 1 ? ` (UTC${ts.slice(-6)})` : '');
  return points.map((point) => ({
    label: label(point.ts, granularity, isOneDay),
    title: title(point.ts, granularity, { from, to }) + offset(point.ts),
    value: Date.parse(point.ts) > now ? null : point.value,
    incomplete:
      point.complete === false && Date.parse(point.ts) <= now
        ? endOf(point.ts, granularity) > now
          ? 'running'
          : 'cut'
        : null,
    isFuture: Date.parse(point.ts) > now,
  }));
}

const hourMs = 3_600_000;

/** When a bucket ends, give or take the hour that clocks may shift in it. */
function endOf(ts, granularity) {
  const start = Date.parse(ts);
  if (granularity === 'month') return start + Number(lastOfMonth(ts.slice(0, 10)).slice(8)) * 24 * hourMs;
  return start + { hour: 1, day: 24, week: 168 }[granularity] * hourMs;
}

function label(ts, granularity, isOneDay) {
  if (granularity === 'hour') return isOneDay ? ts.slice(11, 16) : `${day(ts, 'short')} ${ts.slice(11, 16)}`;
  return granularity === 'month' ? month(ts) : day(ts, 'short');
}

function title(ts, granularity, { from, to }) {
  const date = ts.slice(0, 10);
  switch (granularity) {
    case 'hour':
      return `${day(date, 'weekday')}, ${ts.slice(11, 16)}`;
    case 'week':
      return clipped(date, addDays(date, 6), from, to);
    case 'month':
      return clipped(date, lastOfMonth(date), from, to);
    default:
      return day(date, 'weekday');
  }
}

function clipped(first, last, from, to) {
  const start = first < from ? from : first;
  const end = last > to ? to : last;
  return start === end ? day(start, 'weekday') : dayRange(start, end);
}

function lastOfMonth(date) {
  const next = new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0));
  return next.toISOString().slice(0, 10);
}
