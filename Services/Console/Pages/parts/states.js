import { h } from '../core/dom.js';
import { has, t } from '../core/i18n.js';
import { dateTime, relative } from '../core/format.js';
import { icon } from './icon.js';

/** Grey lines in place of what is being loaded. */
export function skeleton({ lines = 4, height = null } = {}) {
  const widths = ['92%', '78%', '85%', '64%', '88%', '70%'];
  return h(
    'div',
    { class: 'skeleton-lines', aria: { hidden: 'true' } },
    height
      ? h('div', { class: 'skeleton', style: { height: `${height}px` } })
      : Array.from({ length: lines }, (_, index) =>
          h('div', { class: 'skeleton', style: { height: '14px', width: widths[index % widths.length] } }),
        ),
  );
}

/** What stands where there is nothing to show. */
export function emptyState({
  title = t('states.emptyTitle'),
  text = t('states.emptyText'),
  iconName = 'chart',
  actions = null,
} = {}) {
  return h(
    'div',
    { class: 'state' },
    h('div', { class: 'state-icon' }, icon(iconName, { size: 20 })),
    h('p', { class: 'state-title' }, title),
    text ? h('p', { class: 'state-text' }, text) : null,
    actions ? h('div', { class: 'state-actions' }, actions) : null,
  );
}

/** Says in words what went wrong. */
export function explain(error) {
  if (error?.code && has(`states.${error.code}`)) return t(`states.${error.code}`);
  const message = error?.message ?? '';
  return error?.reason ? `${message} ${error.reason}` : message || t('states.internal_error');
}

/** What stands in place of something that could not be loaded, with a way to try again. */
export function errorState(error, retry = null) {
  return h(
    'div',
    { class: 'state error', role: 'alert' },
    h('div', { class: 'state-icon' }, icon('alert', { size: 20 })),
    h('p', { class: 'state-title' }, t('states.errorTitle')),
    h('p', { class: 'state-text' }, explain(error)),
    error?.requestId
      ? h('p', { class: 'small muted mono' }, t('states.request', { id: error.requestId }))
      : null,
    retry
      ? h(
          'div',
          { class: 'state-actions' },
          h(
            'button',
            { type: 'button', class: 'button', on: { click: retry } },
            icon('refresh'),
            t('common.retry'),
          ),
        )
      : null,
  );
}

/** The line above figures that could not be refreshed. */
export function staleBanner(error, retry = null) {
  return h(
    'div',
    { class: 'banner', role: 'status' },
    icon('alert'),
    h('span', {}, t('states.staleTitle', { reason: explain(error) })),
    retry
      ? h('button', { type: 'button', class: 'button small', on: { click: retry } }, t('common.retry'))
      : null,
  );
}

/**
 * How fresh a report is; the exact moment in the app's zone is in the title. With `namesZone` the zone of its
 * days is said, too.
 */
export function freshness(dataThrough, zone, { namesZone = true } = {}) {
  return [
    dataThrough
      ? h(
          'span',
          {
            class: 'row',
            title: t('states.freshness', { time: dateTime(dataThrough, zone, { seconds: true }) }),
          },
          icon('clock', { size: 13 }),
          t('states.freshnessAgo', { ago: relative(dataThrough) }),
        )
      : null,
    zone && namesZone
      ? h('span', { class: 'row' }, icon('globe', { size: 13 }), t('states.days', { zone }))
      : null,
  ];
}
