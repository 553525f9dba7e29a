import { get } from '../core/api.js';
import { debounce, fill, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { segments } from '../parts/tabs.js';
import { icon } from '../parts/icon.js';
import { report } from '../parts/report.js';
import { emptyState } from '../parts/states.js';
import { appCards, appTable, matches, sorted, sortKeys } from './portfolio/rows.js';

/** Every app at a glance: its last full day, how that compares, who comes back, and the course of a month. */
export const page = {
  title: () => t('shell.portfolio'),
  async mount(root, first) {
    let ctx = first;
    let redraw = () => {};
    const narrow = window.matchMedia('(max-width: 900px)');
    const remember = debounce((text) => ctx.setQuery({ search: text || null }, { replace: true }), 400);
    const search = h('input', {
      class: 'input',
      type: 'search',
      placeholder: t('shell.findApp'),
      aria: { label: t('shell.findApp') },
      value: first.query.get('search') ?? '',
      on: {
        input: () => {
          redraw();
          remember(search.value);
        },
      },
    });
    const archived = h('input', {
      type: 'checkbox',
      on: { change: () => ctx.setQuery({ archived: archived.checked ? '1' : null }) },
    });
    const unit = h('div');
    const sort = h(
      'select',
      {
        class: 'select small-select portfolio-sort',
        aria: { label: t('portfolio.sort') },
        on: { change: () => ctx.setQuery({ sort: sort.value === '-dau' ? null : sort.value }) },
      },
      sortKeys.map((key) =>
        h('option', { value: key === 'name' ? 'name' : `-${key}` }, t(`portfolio.${key}`)),
      ),
    );
    const card = report({
      title: t('portfolio.yesterday'),
      height: 260,
      signal: first.signal,
      isFlush: true,
      render,
      className: 'portfolio',
    });
    card.tools.append(sort, h('div', { class: 'search' }, icon('search'), search));
    const changes = h('div', { class: 'stack tight' });
    root.append(
      h(
        'div',
        { class: 'stack' },
        h(
          'div',
          { class: 'report-bar' },
          unit,
          h('label', { class: 'check small' }, archived, t('portfolio.showArchived')),
          h('a', { class: 'button primary end', href: '/apps/new' }, icon('plus'), t('shell.newApp')),
        ),
        changes,
        card.element,
      ),
    );
    showChanges(changes, first.signal);
    narrow.addEventListener('change', () => redraw(), { signal: first.signal });

    function render(body, data) {
      if (!data.items.length) {
        body.append(welcome());
        return {};
      }
      const box = h('div');
      body.append(box);
      redraw = () => {
        const found = data.items.filter((item) => matches(item, search.value));
        const order = orderOf(ctx.query);
        const choose = (next) =>
          ctx.setQuery(
            {
              sort:
                next.key === 'dau' && next.isDescending ? null : `${next.isDescending ? '-' : ''}${next.key}`,
            },
            { replace: true },
          );
        fill(
          box,
          found.length === 0
            ? emptyState({ title: t('shell.noApps'), text: '', iconName: 'search' })
            : narrow.matches
              ? appCards(sorted(found, order), ctx)
              : appTable(found, order, choose, ctx),
        );
      };
      redraw();
      // The oldest of them, as no figure is fresher than this.
      const dataThrough = data.items.map((item) => item.data_through).sort()[0];
      return { dataThrough, note: h('span', {}, t('portfolio.note')) };
    }

    function update(now) {
      ctx = now;
      archived.checked = now.query.get('archived') === '1';
      sort.value = now.query.get('sort') ?? '-dau';
      const counted = now.query.get('unit') === 'installs' ? 'installs' : 'persons';
      const focusedId = unit.contains(document.activeElement) ? document.activeElement.id : null;
      fill(
        unit,
        segments({
          label: t('portfolio.unit'),
          value: counted,
          idPrefix: 'unit',
          choose: (value) => ctx.setQuery({ unit: value === 'persons' ? null : value }),
          items: ['persons', 'installs'].map((value) => ({ value, label: t(`portfolio.${value}`) })),
        }),
      );
      if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
      const params = {};
      if (now.environment !== 'production') params.environment = now.environment;
      if (counted !== 'persons') params.unit = counted;
      if (archived.checked) params.include_archived = 'true';
      card.load({ path: '/v1/portfolio', params });
    }
    update(first);
    return { update };
  },
};

function orderOf(query) {
  const text = query.get('sort') ?? '-dau';
  const key = text.replace(/^-/, '');
  return sortKeys.includes(key)
    ? { key, isDescending: text.startsWith('-') }
    : { key: 'dau', isDescending: true };
}

function welcome() {
  return emptyState({
    title: t('portfolio.emptyTitle'),
    text: t('portfolio.emptyText'),
    iconName: 'apps',
    actions: h('a', { class: 'button primary', href: '/apps/new' }, icon('plus'), t('portfolio.createFirst')),
  });
}

/** Apps that are being merged or deleted are in no list any more; here is what became of them. */
async function showChanges(box, signal) {
  const answer = await get('changes', {}, { signal }).catch(() => null);
  fill(
    box,
    (answer?.items ?? []).map((change) =>
      h(
        'div',
        { class: ['banner', change.error ? 'bad' : 'info'], role: 'status' },
        icon('info'),
        t(`portfolio.change_${change.kind}`, { name: change.app_name }),
        change.rows_done
          ? h('span', { class: 'number' }, t('portfolio.changeRows', { count: change.rows_done }))
          : null,
        change.error ? h('span', {}, change.error) : null,
      ),
    ),
  );
}
