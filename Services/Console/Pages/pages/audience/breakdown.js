import { debounce, h, uniqueId } from '../../core/dom.js';
import { duration, number, percent } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { filterNames, reportPath } from '../../core/reportQuery.js';
import { appPath } from '../../core/routes.js';
import { dataTable } from '../../parts/dataTable.js';
import { delta } from '../../parts/delta.js';
import { dimensions, valueName } from '../../parts/dimension.js';
import { icon } from '../../parts/icon.js';
import { report } from '../../parts/report.js';
import { emptyState } from '../../parts/states.js';
import { tabs } from '../../parts/tabs.js';

/** The period by one of nine dimensions, as a table that filters at a click. */
export function breakdownReport(first) {
  let ctx = first;
  let query = null;
  let table = null;
  const panelId = uniqueId('breakdown');
  const tabBox = h('div', { class: 'card-tabs' });
  const remember = debounce((text) => ctx.setQuery({ search: text || null }, { replace: true }), 400);
  const search = h('input', {
    class: 'input',
    type: 'search',
    placeholder: t('audience.searchValues'),
    aria: { label: t('audience.searchValues') },
    value: first.query.get('search') ?? '',
    on: {
      input: () => {
        table?.setSearch(search.value);
        remember(search.value);
      },
    },
  });
  const card = report({
    title: t('audience.breakdown'),
    height: 260,
    signal: first.signal,
    isFlush: true,
    render,
    className: 'breakdown',
  });
  card.tools.append(h('div', { class: 'search' }, icon('search'), search));
  card.element.querySelector('.card-body').before(tabBox);

  function render(body, data) {
    if (!data.items.length) {
      table = null;
      body.append(nobody(ctx, query));
      return {};
    }
    table = dataTable({
      columns: columnsOf(data),
      rows: data.items,
      caption: `${t('audience.breakdown')}: ${t(`dimensions.${data.dimension}`)}`,
      search: search.value,
      limit: 25,
      sort: sortOf(ctx.query),
      onSort: ({ key, isDescending }) =>
        ctx.setQuery(
          { sort: key === 'active' && isDescending ? null : `${isDescending ? '-' : ''}${key}` },
          { replace: true },
        ),
      foot: totals(data),
    });
    body.append(
      h(
        'div',
        { id: panelId, role: 'tabpanel', aria: { labelledby: `dimension-${data.dimension}` } },
        table.element,
      ),
    );
    return {
      note: h(
        'span',
        {},
        t('audience.rows', { count: data.items.length }),
        ' · ',
        t('audience.breakdownNote'),
      ),
    };
  }

  function columnsOf(data) {
    const isCompared = data.compare !== null;
    const figure = (key, format) => ({
      key,
      label: t(`audience.${key}`),
      title: t(`audience.hint_${key}`),
      isNumber: true,
      value: (row) => row[key],
      cell: (row) => [
        format(row[key]),
        ' ',
        isCompared
          ? h(
              'span',
              { class: 'cell-delta' },
              delta(row.compare.delta_pct[key], {
                title: t('reports.before', { value: format(row.compare[key]) }),
              }),
            )
          : null,
      ],
    });
    return [
      {
        key: 'value',
        label: t(`dimensions.${data.dimension}`),
        value: (row) => valueName(data.dimension, row.value),
        cell: (row) => nameCell(data.dimension, row.value),
      },
      figure('active', number),
      isCompared
        ? {
            key: 'previous',
            label: t('reports.previous'),
            isNumber: true,
            value: (row) => row.compare.active,
            cell: (row) => h('span', { class: 'muted' }, number(row.compare.active)),
          }
        : null,
      {
        key: 'share',
        label: t('audience.share'),
        isNumber: true,
        value: (row) => row.share,
        cell: (row) => shareCell(row.share),
      },
      figure('new', number),
      figure('sessions', number),
      figure('avg_duration_ms', duration),
    ].filter(Boolean);
  }

  function nameCell(dimension, value) {
    const name = valueName(dimension, value);
    if (!filterNames.includes(dimension)) return h('span', { class: value === null ? 'muted' : null }, name);
    const isOn = query.filters[dimension].includes(value ?? '');
    return h(
      'button',
      {
        type: 'button',
        class: 'cell-link',
        title: t('audience.filterBy', { value: name }),
        disabled: isOn,
        on: { click: () => ctx.setQuery({ [dimension]: [...query.filters[dimension], value ?? ''] }) },
      },
      name,
    );
  }

  return {
    element: card.element,
    update(now, next) {
      ctx = now;
      query = next;
      const dimension = dimensionOf(now.query);
      const isFocused = tabBox.contains(document.activeElement);
      tabBox.replaceChildren(
        tabs({
          items: dimensions.map((value) => ({ value, label: t(`dimensions.${value}`) })),
          value: dimension,
          label: t('audience.breakdown'),
          idPrefix: 'dimension',
          panelId,
          choose: (value) => {
            search.value = '';
            ctx.setQuery(
              { dimension: value === dimensions[0] ? null : value, search: null },
              { replace: true },
            );
          },
        }),
      );
      if (isFocused) document.getElementById(`dimension-${dimension}`)?.focus({ preventScroll: true });
      card.load({
        path: reportPath(now, 'audience/breakdown'),
        params: { ...query.params, dimension, compare: query.range.compare },
        zone: now.app.timezone,
      });
    },
  };
}

function shareCell(share) {
  return h(
    'span',
    { class: 'share-cell' },
    h(
      'span',
      { class: 'share-bar', aria: { hidden: 'true' } },
      h('span', { style: { width: `${Math.min(100, share * 100)}%` } }),
    ),
    percent(share),
  );
}

function totals(data) {
  // Below figures with a change beside them, totals keep its room, so that digits stand in columns.
  const aligned = (text) => [text, ' ', data.compare ? h('span', { class: 'cell-delta' }) : null];
  return {
    value: t('common.total'),
    active: aligned(number(data.total.active)),
    previous: data.compare ? number(data.compare.total.active) : '',
    share: '',
    new: aligned(number(data.total.new)),
    sessions: aligned(number(data.total.sessions)),
    avg_duration_ms: aligned(duration(data.total.avg_duration_ms)),
  };
}

/** Nobody there: perhaps for the filters, perhaps because nothing is sent yet. */
function nobody(ctx, query) {
  const hasFilters = filterNames.some((name) => query.filters[name].length > 0);
  const withoutFilters = () => ctx.setQuery(Object.fromEntries(filterNames.map((name) => [name, null])));
  return emptyState({
    title: t('audience.emptyTitle'),
    text: t('audience.emptyText'),
    actions: [
      hasFilters
        ? h(
            'button',
            { type: 'button', class: 'button', on: { click: withoutFilters } },
            t('reports.clearFilters'),
          )
        : null,
      h('a', { class: 'button', href: appPath(ctx.app.id, 'integration') }, t('audience.checkIntegration')),
    ],
  });
}

function dimensionOf(query) {
  const wanted = query.get('dimension');
  return dimensions.includes(wanted) ? wanted : dimensions[0];
}

function sortOf(query) {
  const text = query.get('sort');
  if (!text) return { key: 'active', isDescending: true };
  return { key: text.replace(/^-/, ''), isDescending: text.startsWith('-') };
}
