import { compact, duration, durationShort, number } from '../../core/format.js';
import { t } from '../../core/i18n.js';

/** The metrics that have a course over time, in the order of the tiles. */
export const metrics = ['active', 'new', 'sessions', 'avg_duration_ms'];

/** Writes a metric's value in full. */
export function formatOf(metric) {
  return metric.endsWith('_ms') ? duration : number;
}

/** Writes a metric's value on an axis. */
export function axisFormatOf(metric) {
  return metric.endsWith('_ms') ? durationShort : compact;
}

/** What a metric is called; active ones by what is counted. */
export function metricName(metric, unit = 'persons') {
  if (metric === 'active')
    return t(unit === 'installs' ? 'audience.activeInstalls' : 'audience.activePeople');
  return t(`audience.${metric}`);
}

/** The metric that an address asks for. */
export function metricOf(query) {
  const wanted = query.get('metric');
  return metrics.includes(wanted) ? wanted : 'active';
}
