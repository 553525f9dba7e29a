import { fill, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { icon } from './icon.js';

/**
 * Makes a table: {element, setRows(rows), setSort(sort), setSearch(text)}.
 *
 * Columns are {key, label, isNumber, value(row), cell(row), title, isSortable}: `value` is what is sorted and
 * searched by, `cell` what is shown (text or nodes; `value` without it). The first column names the row.
 * `sort` is {key, isDescending}; nothing sorts last. `limit` rows are shown at first, with a button for the
 * others. `foot` is a row of totals by column key.
 */
export function dataTable({
  columns,
  rows,
  caption,
  sort = null,
  onSort = null,
  search = '',
  limit = 100,
  foot = null,
  empty = t('common.nothingFound'),
}) {
  let shownSort = sort;
  let text = search;
  let all = rows;
  let isWhole = false;
  const head = h('thead');
  const body = h('tbody');
  const more = h('div', { class: 'table-more', hidden: true });
  const element = h(
    'div',
    {},
    h(
      'div',
      { class: 'table-wrap', tabindex: '0', role: 'group', aria: { label: caption } },
      h(
        'table',
        { class: 'table' },
        h('caption', { class: 'visually-hidden' }, caption),
        head,
        body,
        foot
          ? h(
              'tfoot',
              {},
              h(
                'tr',
                {},
                columns.map((column, index) =>
                  index === 0
                    ? h('th', { scope: 'row' }, foot[column.key] ?? '')
                    : h('td', { class: column.isNumber ? 'is-number' : null }, foot[column.key] ?? ''),
                ),
              ),
            )
          : null,
      ),
    ),
    more,
  );

  function drawHead() {
    fill(
      head,
      h(
        'tr',
        {},
        columns.map((column) => {
          const isSorted = shownSort?.key === column.key;
          const direction = isSorted ? (shownSort.isDescending ? 'descending' : 'ascending') : null;
          return h(
            'th',
            {
              scope: 'col',
              class: column.isNumber ? 'is-number' : null,
              title: column.title,
              aria: { sort: direction },
            },
            column.isSortable === false
              ? column.label
              : h(
                  'button',
                  { type: 'button', class: 'sort-button', on: { click: () => choose(column) } },
                  column.label,
                  icon('chevron', { size: 12 }),
                ),
          );
        }),
      ),
    );
  }

  function choose(column) {
    const isDescending = shownSort?.key === column.key ? !shownSort.isDescending : Boolean(column.isNumber);
    shownSort = { key: column.key, isDescending };
    const focused = columns.indexOf(column);
    drawHead();
    drawBody();
    head.querySelectorAll('th')[focused]?.querySelector('button')?.focus();
    onSort?.(shownSort);
  }

  function drawBody() {
    const found = filtered();
    const shown = isWhole ? found : found.slice(0, limit);
    fill(
      body,
      shown.length
        ? shown.map(line)
        : h('tr', {}, h('td', { colspan: columns.length, class: 'muted' }, empty)),
    );
    more.hidden = shown.length === found.length;
    if (!more.hidden) {
      fill(
        more,
        h(
          'button',
          {
            type: 'button',
            class: 'button small',
            on: {
              click: () => {
                isWhole = true;
                drawBody();
              },
            },
          },
          t('common.showAll', { count: found.length }),
        ),
      );
    }
  }

  function line(row) {
    return h(
      'tr',
      {},
      columns.map((column, index) => {
        const content = column.cell ? column.cell(row) : (column.value(row) ?? '–');
        return index === 0
          ? h('th', { scope: 'row' }, content)
          : h('td', { class: column.isNumber ? 'is-number' : null }, content);
      }),
    );
  }

  function filtered() {
    const wanted = text.trim().toLowerCase();
    const found = wanted
      ? all.filter((row) =>
          columns.some(
            (column) =>
              !column.isNumber &&
              String(column.value?.(row) ?? '')
                .toLowerCase()
                .includes(wanted),
          ),
        )
      : [...all];
    const column = columns.find((one) => one.key === shownSort?.key);
    return column?.value
      ? found.sort((a, b) => compare(column.value(a), column.value(b), shownSort.isDescending))
      : found;
  }

  drawHead();
  drawBody();
  return {
    element,
    setRows(next) {
      all = next;
      drawBody();
    },
    setSort(next) {
      shownSort = next;
      drawHead();
      drawBody();
    },
    setSearch(next) {
      text = next;
      drawBody();
    },
  };
}

function compare(a, b, isDescending) {
  const isMissingA = a === null || a === undefined;
  const isMissingB = b === null || b === undefined;
  if (isMissingA || isMissingB) return isMissingA - isMissingB;
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
  return isDescending ? -order : order;
}
