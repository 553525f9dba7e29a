import { serverNow } from './api.js';
import { locale, t } from './i18n.js';

const missing = '–';
const made = new Map();

function formatter(Kind, options) {
  const key = `${Kind.name} ${locale()} ${JSON.stringify(options)}`;
  if (!made.has(key)) made.set(key, new Kind(locale(), options));
  return made.get(key);
}

function isMissing(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

/** A whole number with the viewer's separators; a dash when there is none. */
export function number(value) {
  return isMissing(value)
    ? missing
    : formatter(Intl.NumberFormat, { maximumFractionDigits: 2 }).format(value);
}

/** A number short enough for an axis, such as 12K. */
export function compact(value) {
  if (isMissing(value)) return missing;
  return formatter(Intl.NumberFormat, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** A share from 0 to 1 in percent. */
export function percent(value, digits = 1) {
  if (isMissing(value)) return missing;
  return formatter(Intl.NumberFormat, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** A change in percent with its sign; a dash where there is nothing to compare with. */
export function delta(value) {
  if (isMissing(value)) return missing;
  const digits = Math.abs(value) >= 100 ? 0 : 1;
  return formatter(Intl.NumberFormat, {
    style: 'percent',
    signDisplay: 'exceptZero',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(Math.abs(value) < 0.05 ? 0 : value / 100);
}

/** A duration in the two largest units it has: 1 h 05 min, 3 min 34 s, 850 ms. */
export function duration(milliseconds) {
  if (isMissing(milliseconds)) return missing;
  if (milliseconds > 0 && milliseconds < 1000) return t('units.ms', { n: Math.round(milliseconds) });
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return t('units.s', { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('units.minS', { min: minutes, s: twoDigits(seconds % 60) });
  return t('units.hMin', { h: Math.floor(minutes / 60), min: twoDigits(minutes % 60) });
}

/** A round duration for an axis, without units that are zero. */
export function durationShort(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60 || seconds % 60 !== 0) return duration(milliseconds);
  const minutes = seconds / 60;
  if (minutes < 60) return t('units.min', { n: minutes });
  return minutes % 60 === 0 ? t('units.h', { n: minutes / 60 }) : duration(milliseconds);
}

function twoDigits(value) {
  return String(value).padStart(2, '0');
}

function calendarDate(text) {
  return new Date(`${text.slice(0, 10)}T00:00:00Z`);
}

/** A calendar day, '2026-11-30', in words; `style` is 'long', 'short' (without year) or 'weekday'. */
export function day(text, style = 'long') {
  if (!text) return missing;
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' };
  if (style === 'long') options.year = 'numeric';
  if (style === 'weekday') options.weekday = 'short';
  return formatter(Intl.DateTimeFormat, options).format(calendarDate(text));
}

/** A month, of any of its days, in words. */
export function month(text) {
  return formatter(Intl.DateTimeFormat, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    calendarDate(text),
  );
}

/** Two calendar days as one range, as short as can be. */
export function dayRange(from, to) {
  const options = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' };
  return formatter(Intl.DateTimeFormat, options).formatRange(calendarDate(from), calendarDate(to));
}

/** An instant as date and time in a zone, by default the viewer's. */
export function dateTime(iso, zone, { seconds = false } = {}) {
  if (!iso) return missing;
  const options = { dateStyle: 'medium', timeStyle: seconds ? 'medium' : 'short' };
  return zoned(options, zone).format(new Date(iso));
}

/** An instant as time of day in a zone, by default the viewer's. */
export function timeOfDay(iso, zone, { seconds = false } = {}) {
  if (!iso) return missing;
  return zoned({ timeStyle: seconds ? 'medium' : 'short' }, zone).format(new Date(iso));
}

/** The browser may not know a zone that the server knows; the time is then told in UTC and says so. */
function zoned(options, zone) {
  try {
    return formatter(Intl.DateTimeFormat, zone ? { ...options, timeZone: zone } : options);
  } catch {
    return formatter(Intl.DateTimeFormat, { ...options, timeZone: 'UTC' });
  }
}

const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Infinity],
];

/** How long ago an instant was, in words. */
export function relative(iso, now = serverNow()) {
  if (!iso) return missing;
  let amount = (Date.parse(iso) - now.getTime()) / 1000;
  if (Math.abs(amount) < 5) return t('units.now');
  for (const [unit, size] of steps) {
    if (Math.abs(amount) < size) {
      return formatter(Intl.RelativeTimeFormat, { numeric: 'auto' }).format(Math.round(amount), unit);
    }
    amount /= size;
  }
  return missing;
}

/** Words as one enumeration: a, b and c. */
export function list(items) {
  return formatter(Intl.ListFormat, { type: 'conjunction' }).format(items);
}

/** The name of a country of two letters; the letters when it is unknown. */
export function country(code) {
  return displayName('region', code);
}

/** The name of a language or locale code; the code when it is unknown. */
export function localeName(code) {
  return displayName('language', code);
}

function displayName(type, code) {
  try {
    return formatter(Intl.DisplayNames, { type, fallback: 'code' }).of(code.replaceAll('_', '-')) ?? code;
  } catch {
    return code;
  }
}

/** The name of a platform code, such as iOS. */
export function platform(code) {
  const name = t(`platforms.${code}`);
  return name.startsWith('platforms.') ? code : name;
}
