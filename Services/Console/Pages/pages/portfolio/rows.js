import { h } from '../../core/dom.js';
import { day, number, percent, platform } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { appPath } from '../../core/routes.js';
import { appMark } from '../../parts/appSwitcher.js';
import { dataTable } from '../../parts/dataTable.js';
import { delta } from '../../parts/delta.js';
import { platformColor } from '../../parts/platformColor.js';
import { sparkline } from '../../parts/sparkline.js';

/** What apps can be sorted by. */
export const sortKeys = ['dau', 'change', 'new', 'sessions', 'd1', 'd7', 'name'];

const values = {
  name: (item) => item.app.name,
  dau: (item) => item.dau,
  change: (item) => item.delta_pct,
  new: (item) => item.new,
  sessions: (item) => item.sessions,
  d1: (item) => item.d1,
  d7: (item) => item.d7,
};

/** Whether an app is meant by a search. */
export function matches(item, text) {
  const wanted = text.trim().toLowerCase();
  return (
    item.app.name.toLowerCase().includes(wanted) ||
    item.app.id === wanted ||
    item.app.platforms.some((name) => platform(name).toLowerCase() === wanted)
  );
}

/** Apps in an order; those without the figure come last. */
export function sorted(items, { key, isDescending }) {
  return [...items].sort((a, b) => {
    const [first, second] = [values[key](a), values[key](b)];
    if (first === null || second === null) return (first === null) - (second === null);
    const order = typeof first === 'string' ? first.localeCompare(second) : first - second;
    return isDescending ? -order : order;
  });
}

/** Apps as a table. */
export function appTable(items, sort, choose, ctx) {
  const figure = (key, format) => ({
    key,
    label: t(`portfolio.${key}`),
    title: t(`portfolio.hint_${key}`),
    isNumber: true,
    value: values[key],
    cell: (item) => format(values[key](item)),
  });
  return dataTable({
    caption: t('portfolio.yesterday'),
    rows: items,
    sort,
    onSort: choose,
    limit: 200,
    columns: [
      { key: 'name', label: t('portfolio.name'), value: values.name, cell: (item) => appCell(item, ctx) },
      { key: 'trend', label: t('portfolio.trend'), isSortable: false, cell: trend },
      {
        key: 'dau',
        label: t('portfolio.dau'),
        title: t('portfolio.hint_dau'),
        isNumber: true,
        value: values.dau,
        cell: (item) => [
          h('span', { class: 'strong' }, number(item.dau)),
          ' ',
          h('span', { class: 'cell-under' }, day(item.date, 'short')),
        ],
      },
      {
        key: 'change',
        label: t('portfolio.change'),
        title: t('portfolio.hint_change'),
        isNumber: true,
        value: values.change,
        cell: (item) => [
          delta(item.delta_pct),
          ' ',
          h('span', { class: 'cell-under' }, t('portfolio.was', { value: number(item.compare.dau) })),
        ],
      },
      figure('new', number),
      figure('sessions', number),
      figure('d1', percent),
      figure('d7', percent),
      { key: 'platforms', label: t('portfolio.platforms'), isSortable: false, cell: shares },
    ],
  }).element;
}

/** Apps as cards, where a table would not fit. */
export function appCards(items, ctx) {
  const figure = (name, content) =>
    h('div', { class: 'mini' }, h('dt', {}, name), h('dd', { class: 'number' }, content));
  return h(
    'ul',
    { class: 'app-cards' },
    items.map((item) =>
      h(
        'li',
        { class: 'app-card' },
        h('div', { class: 'row' }, h('div', { class: 'grow' }, appCell(item, ctx)), trend(item)),
        h(
          'dl',
          { class: 'minis' },
          figure(`${t('portfolio.dau')}, ${day(item.date, 'short')}`, [
            number(item.dau),
            ' ',
            delta(item.delta_pct, { title: t('portfolio.was', { value: number(item.compare.dau) }) }),
          ]),
          figure(t('portfolio.new'), number(item.new)),
          figure(t('portfolio.sessions'), number(item.sessions)),
          figure(t('portfolio.d1'), percent(item.d1)),
          figure(t('portfolio.d7'), percent(item.d7)),
        ),
        shares(item),
      ),
    ),
  );
}

function appCell(item, ctx) {
  const { app } = item;
  const link = appPath(app.id, 'audience');
  return h(
    'div',
    { class: 'row app-cell', title: ctx.environment === 'production' ? null : t(`shell.${ctx.environment}`) },
    appMark(app),
    h(
      'div',
      { class: 'grow' },
      h(
        'div',
        { class: 'row' },
        h('a', { class: 'app-name ellipsis', href: link }, app.name),
        app.status === 'archived' ? h('span', { class: 'badge' }, t('common.archived')) : null,
      ),
      isQuiet(item) && app.status === 'active'
        ? h('a', { class: 'small', href: appPath(app.id, 'integration') }, t('portfolio.quiet'))
        : h('div', { class: 'small muted ellipsis' }, app.timezone),
    ),
  );
}

/** Nobody was active in a month: a new app most of all, which wants to be integrated. */
function isQuiet(item) {
  return item.trend.every((point) => point.value === 0);
}

function trend(item) {
  const points = item.trend.map((point) => point.value);
  return sparkline({
    values: points,
    name: t('portfolio.trendName', {
      min: number(Math.min(...points)),
      max: number(Math.max(...points)),
      last: number(points.at(-1)),
    }),
  });
}

/**
 * One bar of all platforms; as people may be on several, its parts are of all of them, while shares in words
 * are of people.
 */
function shares(item) {
  const all = item.platforms.reduce((sum, one) => sum + one.active, 0);
  if (!all) return h('span', { class: 'muted' }, '–');
  const order = [...item.platforms].sort((a, b) => b.active - a.active);
  const text = order.map((one) => `${platform(one.platform)} ${percent(one.share, 0)}`);
  return h(
    'div',
    { class: 'platform-shares', title: text.join('\n') },
    h(
      'div',
      { class: 'stacked', aria: { hidden: 'true' } },
      order.map((one) =>
        h('span', {
          style: { 'flex-grow': String(one.active), '--mark': `var(--${platformColor(one.platform)})` },
        }),
      ),
    ),
    h(
      'div',
      { class: 'small muted' },
      order
        .slice(0, 3)
        .map((one, index) =>
          h(
            'span',
            { class: 'share-word' },
            h('span', { class: 'dot', style: { color: `var(--${platformColor(one.platform)})` } }),
            text[index],
          ),
        ),
      order.length > 3
        ? h(
            'span',
            {},
            `+${order.length - 3}`,
            h('span', { class: 'visually-hidden' }, text.slice(3).join(', ')),
          )
        : null,
    ),
  );
}
