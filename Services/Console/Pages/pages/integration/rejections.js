import { h } from '../../core/dom.js';
import { dateTime, number, percent, timeOfDay } from '../../core/format.js';
import { has, t } from '../../core/i18n.js';
import { platformName, shortId } from '../../parts/people.js';
import { stackedTable } from '../../parts/stackedTable.js';

function wordOf(code, part) {
  return t(`reasons.${has(`reasons.${code}`) ? code : 'other'}.${part}`);
}

/** What tells one refusal from another. */
export function rejectionKey(one) {
  return `${one.received_at} ${one.insert_id} ${one.code} ${one.field}`;
}

/** The latest refusals; those that were not in `known` show that they are new. */
export function rejectionTable(items, zone, known) {
  return stackedTable(
    t('integration.rejections'),
    h(
      'table',
      { class: 'table feed' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['received_at', 'code', 'field', 'platform', 'version', 'insertId'].map((name) =>
            h(
              'th',
              { scope: 'col' },
              has(`integration.${name}`) ? t(`integration.${name}`) : t(`people.${name}`),
            ),
          ),
        ),
      ),
      h(
        'tbody',
        {},
        items.map((one) =>
          h(
            'tr',
            { class: known && !known.has(rejectionKey(one)) ? 'is-new' : null, data: { code: one.code } },
            h(
              'td',
              { class: 'nowrap' },
              h(
                'time',
                { datetime: one.received_at, title: dateTime(one.received_at, zone, { seconds: true }) },
                timeOrDate(one.received_at, zone),
              ),
            ),
            h(
              'td',
              { class: 'reason-cell' },
              h('div', { class: 'mono small bad' }, one.code),
              h('div', { class: 'small soft' }, wordOf(one.code, 'title')),
            ),
            h('td', { class: 'mono small wrap-anywhere' }, one.field ?? '–'),
            h('td', {}, platformName(one.platform)),
            h('td', { class: 'number' }, one.app_version ?? '–'),
            h(
              'td',
              { class: 'mono small', title: one.insert_id },
              one.insert_id ? shortId(one.insert_id) : '–',
            ),
          ),
        ),
      ),
    ),
  );
}

function timeOrDate(iso, zone) {
  return Date.now() - Date.parse(iso) < 20 * 3_600_000
    ? timeOfDay(iso, zone, { seconds: true })
    : dateTime(iso, zone);
}

/** One reason: what it means, what helps, and which fields and versions it concerns. */
export function reasonItem(reason, isOpen) {
  const isRetried = reason.code === 'install_rate_limited' || reason.code === 'app_rate_limited';
  return h(
    'li',
    {},
    h(
      'details',
      { open: isOpen, data: { code: reason.code } },
      h(
        'summary',
        {},
        h(
          'span',
          { class: 'grow' },
          h('span', { class: 'strong' }, wordOf(reason.code, 'title')),
          h('span', { class: 'mono small muted reason-code' }, reason.code),
        ),
        h('span', { class: 'number strong' }, number(reason.count)),
        h('span', { class: 'number small muted reason-share' }, percent(reason.share, 0)),
      ),
      h(
        'div',
        { class: 'share-bar', aria: { hidden: 'true' } },
        h('span', { style: { width: `${reason.share * 100}%` } }),
      ),
      h(
        'div',
        { class: 'reason-body stack tight' },
        h(
          'p',
          {},
          h('span', { class: 'strong' }, `${t('integration.whatToDo')}: `),
          wordOf(reason.code, 'todo'),
        ),
        isRetried ? h('p', {}, h('span', { class: 'badge' }, t('integration.retryable'))) : null,
        counts(
          t('integration.fields'),
          reason.fields.filter((one) => one.field),
          (one) => h('span', { class: 'mono' }, one.field),
        ),
        counts(
          t('integration.clients'),
          reason.clients,
          (one) => `${platformName(one.platform)} ${one.app_version ?? t('integration.withoutVersion')}`,
        ),
      ),
    ),
  );
}

function counts(title, items, name) {
  if (!items.length) return null;
  return h(
    'div',
    {},
    h('div', { class: 'small muted' }, title),
    h(
      'ul',
      { class: 'row wrap' },
      items.map((one) =>
        h('li', { class: 'badge wrap-anywhere' }, name(one), h('b', { class: 'number' }, number(one.count))),
      ),
    ),
  );
}
