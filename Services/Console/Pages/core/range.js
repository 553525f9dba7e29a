import { addDays, dayIn, daysBetween, isDay, monthStart, weekStart } from './calendar.js';

/** The longest period of a report, in days. */
export const rangeDaysMax = 366;

/** The longest period that is shown by hour, in days. */
export const hourlyDaysMax = 7;

/** The presets in the order of the picker. */
export const presets = [
  'today',
  'yesterday',
  'last_7',
  'last_28',
  'last_90',
  'last_365',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
];

const presetDefault = 'last_28';

/**
 * The period that an address asks for, in days of an app's zone:
 * {preset, from, to, days, today, hasToday, isFullDays, compare, compareFrom, compareTo}.
 *
 * `range` names a preset, `from` and `to` a period of its own, `today=0` leaves today out of presets,
 * `compare=none` compares with nothing.
 */
export function rangeOf(query, zone) {
  const today = dayIn(zone);
  const isFullDays = query.get('today') === '0';
  const preset = presetOf(query);
  const [from, to] = preset === 'custom' ? customOf(query) : daysOf(preset, today, isFullDays);
  const days = daysBetween(from, to);
  return {
    preset,
    from,
    to,
    days,
    today,
    isFullDays,
    hasToday: from <= today && to >= today,
    compare: query.get('compare') === 'none' ? 'none' : 'previous_period',
    compareFrom: addDays(from, -days),
    compareTo: addDays(from, -1),
  };
}

function presetOf(query) {
  const wanted = query.get('range');
  if (presets.includes(wanted)) return wanted;
  const from = query.get('from');
  const to = query.get('to');
  const isUsable = isDay(from) && isDay(to) && from <= to && daysBetween(from, to) <= rangeDaysMax;
  return isUsable ? 'custom' : presetDefault;
}

function customOf(query) {
  return [query.get('from'), query.get('to')];
}

function daysOf(preset, today, isFullDays) {
  const last = isFullDays ? addDays(today, -1) : today;
  switch (preset) {
    case 'today':
      return [today, today];
    case 'yesterday':
      return [addDays(today, -1), addDays(today, -1)];
    case 'this_week':
      return ordered(weekStart(last), last);
    case 'last_week':
      return [addDays(weekStart(today), -7), addDays(weekStart(today), -1)];
    case 'this_month':
      return ordered(monthStart(last), last);
    case 'last_month': {
      const end = addDays(monthStart(today), -1);
      return [monthStart(end), end];
    }
    default:
      return [addDays(last, 1 - Number(preset.slice('last_'.length))), last];
  }
}

function ordered(from, to) {
  return from <= to ? [from, to] : [to, to];
}

/** The changes of the query that choose a preset. */
export function presetQuery(preset) {
  return { range: preset === presetDefault ? null : preset, from: null, to: null };
}

/** The changes of the query that choose a period of its own. */
export function customQuery(from, to) {
  return { range: null, from, to };
}
