import { get } from '../core/api.js';
import { fill, h } from '../core/dom.js';
import { filterNames } from '../core/reportQuery.js';
import { number } from '../core/format.js';
import { t } from '../core/i18n.js';
import { valueName } from './dimension.js';
import { icon } from './icon.js';
import { popover } from './popover.js';
import { errorState, skeleton } from './states.js';
import { tabs } from './tabs.js';

/** The filters as chips, with a button that adds more: an element. `query` is what `reportQuery` gives. */
export function filterBar({ ctx, query, breakdownPath }) {
  const chips = filterNames.flatMap((name) =>
    query.filters[name].map((value) => chip(ctx, query, name, value)),
  );
  const button = h(
    'button',
    { type: 'button', class: 'button', id: 'add-filter' },
    icon('filter'),
    t('reports.addFilter'),
  );
  const adder = popover({
    button,
    label: t('reports.addFilter'),
    className: 'filter-popover',
    content: (close) => chooser({ ctx, query, breakdownPath, close }),
  });
  return h(
    'div',
    { class: 'row wrap filter-bar' },
    adder.element,
    chips.length ? h('ul', { class: 'row wrap', aria: { label: t('reports.filters') } }, chips) : null,
    chips.length > 1
      ? h(
          'button',
          {
            type: 'button',
            class: 'button quiet small',
            id: 'clear-filters',
            on: { click: () => ctx.setQuery(Object.fromEntries(filterNames.map((name) => [name, null]))) },
          },
          t('reports.clearFilters'),
        )
      : null,
  );
}

function chip(ctx, query, name, value) {
  const text = `${t(`dimensions.${name}`)}: ${valueName(name, value === '' ? null : value)}`;
  return h(
    'li',
    { class: 'chip' },
    h('span', { class: 'ellipsis' }, text),
    h(
      'button',
      {
        type: 'button',
        aria: { label: t('reports.removeFilter', { filter: text }) },
        on: {
          click: () => {
            ctx.setQuery({ [name]: query.filters[name].filter((one) => one !== value) });
            document.getElementById('add-filter')?.focus();
          },
        },
      },
      icon('close', { size: 13 }),
    ),
  );
}

/** The list of values of one dimension at a time, from the breakdown of the period, with search. */
function chooser({ ctx, query, breakdownPath, close }) {
  const chosen = Object.fromEntries(filterNames.map((name) => [name, new Set(query.filters[name])]));
  const head = h('div');
  const listBox = h('div', { class: 'filter-values' });
  const search = h('input', {
    class: 'input',
    type: 'search',
    placeholder: t('common.search'),
    aria: { label: t('common.search') },
    on: { input: () => drawValues() },
  });
  let dimension = filterNames.find((name) => name !== 'platform');
  let items = [];
  let visit = 0;

  async function open(name) {
    dimension = name;
    visit += 1;
    const own = visit;
    search.value = '';
    fill(
      head,
      tabs({
        items: filterNames.map((value) => ({ value, label: t(`dimensions.${value}`) })),
        value: name,
        label: t('reports.filters'),
        choose: open,
        idPrefix: 'filter-tab',
      }),
    );
    document.getElementById(`filter-tab-${name}`)?.focus({ preventScroll: true });
    fill(listBox, skeleton({ lines: 4 }));
    const others = { ...query.params };
    delete others[name];
    try {
      const answer = await get(
        breakdownPath,
        { ...others, dimension: name, compare: 'none' },
        { signal: ctx.signal },
      );
      if (own !== visit) return;
      items = answer.items.map((item) => ({ value: item.value ?? '', active: item.active }));
      for (const value of chosen[name])
        if (!items.some((item) => item.value === value)) items.push({ value, active: 0 });
      drawValues();
    } catch (error) {
      if (own === visit && error.name !== 'AbortError')
        fill(
          listBox,
          errorState(error, () => open(name)),
        );
    }
  }

  function drawValues() {
    const wanted = search.value.trim().toLowerCase();
    const found = items.filter(
      (item) =>
        nameOf(item.value).toLowerCase().includes(wanted) || item.value.toLowerCase().includes(wanted),
    );
    fill(
      listBox,
      found.length
        ? found.slice(0, 300).map((item) =>
            h(
              'label',
              { class: 'check menu-item' },
              h('input', {
                type: 'checkbox',
                checked: chosen[dimension].has(item.value),
                on: { change: (event) => toggle(item.value, event.target.checked) },
              }),
              h('span', { class: 'ellipsis grow' }, nameOf(item.value)),
              h('span', { class: 'muted number' }, number(item.active)),
            ),
          )
        : h('p', { class: 'menu-title' }, t('common.nothingFound')),
    );
  }

  const nameOf = (value) => valueName(dimension, value === '' ? null : value);
  const toggle = (value, isOn) => (isOn ? chosen[dimension].add(value) : chosen[dimension].delete(value));
  const apply = () => {
    close(true);
    ctx.setQuery(Object.fromEntries(filterNames.map((name) => [name, [...chosen[name]]])));
  };
  open(dimension);
  return h(
    'div',
    { class: 'stack tight' },
    head,
    h('div', { class: 'search' }, icon('search'), search),
    listBox,
    h('button', { type: 'button', class: 'button primary', on: { click: apply } }, t('reports.apply')),
  );
}
