import { fill, h } from '../core/dom.js';
import { compact, number } from '../core/format.js';
import { t } from '../core/i18n.js';
import { icon } from './icon.js';

/**
 * Draws stacked columns that are changed in place, for figures that arrive all the time: {element, toggle, update}.
 *
 * `series` are {name, tone}, `tone` one of the classes of the style sheet. `update` takes points {key, label, title, values, isOpen}; `label` is
 * for the axis, empty where it would not fit. `toggle` is a button that shows the same figures as a table. Arrow keys walk the columns.
 */
export function bars({ series, summary, columnName, height = 168 }) {
  const scale = h('div', { class: 'bars-scale', aria: { hidden: 'true' } });
  const columns = h('div', { class: 'bars-columns' });
  const axis = h('div', { class: 'bars-axis', aria: { hidden: 'true' } });
  const tip = h('div', { class: 'bars-tip', hidden: true });
  const spoken = h('span', { class: 'visually-hidden', role: 'status' });
  const plot = h(
    'div',
    {
      class: 'bars-plot',
      tabindex: '0',
      role: 'img',
      style: { '--bars-height': `${height}px` },
      on: { keydown: walk, blur: () => choose(-1), pointerleave: () => choose(-1) },
    },
    scale,
    columns,
    tip,
  );
  const table = h('div', { class: 'table-wrap bars-table', hidden: true });
  const element = h('div', { class: 'bars' }, plot, axis, spoken, table);
  const toggle = h(
    'button',
    {
      type: 'button',
      class: 'button small quiet icon-only',
      title: t('bars.table'),
      aria: { label: t('bars.table'), pressed: 'false' },
      on: { click: flip },
    },
    icon('table'),
  );
  let points = [];
  let chosen = -1;

  function update(next) {
    points = next;
    const top = niceTop(Math.max(1, ...points.map((point) => sum(point.values))));
    fill(
      scale,
      [top, top / 2, 0].map((value) => h('span', {}, compact(value))),
    );
    while (columns.children.length > points.length) columns.lastChild.remove();
    while (columns.children.length < points.length) columns.append(makeColumn(columns.children.length));
    for (const [index, point] of points.entries()) paint(columns.children[index], point, top);
    fill(
      axis,
      points.map((point) => h('span', {}, point.label)),
    );
    const totals = series.map(
      (one, index) => `${one.name}: ${number(sum(points.map((point) => point.values[index])))}`,
    );
    plot.setAttribute('aria-label', `${summary}. ${totals.join(', ')}.`);
    if (chosen >= 0) choose(chosen, false);
    if (!table.hidden) drawTable();
  }

  function makeColumn(index) {
    return h(
      'div',
      {
        class: 'bars-column',
        on: { pointerenter: () => choose(index, false), pointerdown: () => choose(index, false) },
      },
      series.map((one) => h('div', { class: ['bars-piece', one.tone] })),
    );
  }

  function paint(column, point, top) {
    column.classList.toggle('is-open', Boolean(point.isOpen));
    for (const [index, value] of point.values.entries()) {
      column.children[index].style.setProperty('height', `${(100 * value) / top}%`);
    }
  }

  function choose(index, speaks = true) {
    chosen = index;
    for (const [at, column] of [...columns.children].entries())
      column.classList.toggle('is-chosen', at === index);
    const point = points[index];
    tip.hidden = !point;
    if (!point) return;
    fill(
      tip,
      h('strong', {}, point.title),
      point.isOpen ? h('span', { class: 'muted' }, t('realtime.running')) : null,
      series.map((one, at) =>
        h(
          'span',
          { class: 'row' },
          h('span', { class: ['bars-key', one.tone] }),
          one.name,
          h('b', { class: 'number end' }, number(point.values[at])),
        ),
      ),
    );
    const share = (index + 0.5) / points.length;
    tip.style.setProperty('inset-inline-start', `${share * 100}%`);
    tip.style.setProperty('translate', `${-share * 100}% 0`);
    if (speaks)
      spoken.textContent = `${point.title}: ${series.map((one, at) => `${one.name} ${number(point.values[at])}`).join(', ')}`;
  }

  function walk(event) {
    const from = chosen < 0 ? points.length : chosen;
    const next = { ArrowLeft: from - 1, ArrowRight: chosen + 1, Home: 0, End: points.length - 1 }[event.key];
    if (event.key === 'Escape') choose(-1);
    if (next === undefined) return;
    event.preventDefault();
    choose(Math.min(Math.max(next, 0), points.length - 1));
  }

  function flip() {
    table.hidden = !table.hidden;
    plot.hidden = axis.hidden = !table.hidden;
    toggle.setAttribute('aria-pressed', String(!table.hidden));
    if (!table.hidden) drawTable();
  }

  function drawTable() {
    fill(
      table,
      h(
        'table',
        { class: 'table' },
        h('caption', { class: 'visually-hidden' }, summary),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, columnName),
            series.map((one) => h('th', { scope: 'col', class: 'is-number' }, one.name)),
          ),
        ),
        h(
          'tbody',
          {},
          [...points].reverse().map((point) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, point.title),
              point.values.map((value) => h('td', { class: 'is-number' }, number(value))),
            ),
          ),
        ),
      ),
    );
  }

  return { element, toggle, update };
}

/** What the columns' colours mean. */
export function barsLegend(series) {
  return h(
    'div',
    { class: 'row wrap bars-legend' },
    series.map((one) =>
      h(
        'span',
        { class: 'row small soft' },
        h('span', { class: ['bars-key', one.tone], aria: { hidden: 'true' } }),
        one.name,
      ),
    ),
  );
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** The smallest even 1, 2 or 5 times a power of ten that is not below a number. */
function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((one) => one * power >= value) * power;
  return step % 2 === 0 ? step : Math.max(2, step);
}
