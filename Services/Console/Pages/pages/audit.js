import { get } from '../core/api.js';
import { fill, h, uniqueId } from '../core/dom.js';
import { dateTime } from '../core/format.js';
import { has, t } from '../core/i18n.js';
import { apps } from '../core/session.js';
import { emptyState, errorState, explain, skeleton } from '../parts/states.js';

/** Who changed what and when, newest first, of everything or one app. */
export const page = {
  title: () => t('audit.title'),
  async mount(root, ctx) {
    const appId = ctx.query.get('app');
    const known = await apps().catch(() => []);
    const select = uniqueId('audit-app');
    const card = h(
      'section',
      { class: 'card', aria: { label: t('audit.title') } },
      h('div', { class: 'card-body' }, skeleton({ lines: 8 })),
    );
    fill(
      root,
      h(
        'div',
        { class: 'stack' },
        h(
          'div',
          { class: 'page-bar' },
          h('p', { class: 'intro grow' }, t('audit.intro')),
          h(
            'div',
            { class: 'row' },
            h('label', { class: 'small muted', for: select }, t('audit.filter')),
            h(
              'select',
              {
                class: 'select compact',
                id: select,
                on: { change: (event) => ctx.setQuery({ app: event.target.value || null }) },
              },
              h('option', { value: '' }, t('audit.allApps')),
              known.map((app) => h('option', { value: app.id, selected: app.id === appId }, app.name)),
              appId && !known.some((app) => app.id === appId)
                ? h('option', { value: appId, selected: true }, appId)
                : null,
            ),
          ),
        ),
        card,
      ),
    );
    const rows = h('tbody');
    const foot = h('div', { class: 'table-more' });
    let before = null;
    await load();

    async function load() {
      try {
        const answer = await get('audit', { before, app_id: appId }, { signal: ctx.signal });
        if (!answer.items.length && !before) {
          fill(
            card,
            emptyState({
              title: t('audit.none'),
              text: t(appId ? 'audit.noneOfApp' : 'audit.noneText'),
              iconName: 'audit',
            }),
          );
          return;
        }
        if (!before) {
          fill(
            card,
            h(
              'div',
              { class: 'table-wrap', tabindex: '0', role: 'group', aria: { label: t('audit.title') } },
              h(
                'table',
                { class: 'table listed' },
                h(
                  'thead',
                  {},
                  h(
                    'tr',
                    {},
                    ['when', 'what', 'app', 'details', 'who'].map((name) =>
                      h(
                        'th',
                        { scope: 'col', title: name === 'when' ? t('audit.zone') : null },
                        t(`audit.${name}`),
                      ),
                    ),
                  ),
                ),
                rows,
              ),
            ),
            foot,
          );
        }
        const names = ['when', 'what', 'app', 'details', 'who'];
        for (const entry of answer.items) rows.append(labelled(row(entry, known), names));
        before = answer.next_before;
        drawFoot();
      } catch (error) {
        if (error.name === 'AbortError') return;
        if (before) drawFoot(error);
        else fill(card, errorState(error, load));
      }
    }

    function drawFoot(error = null) {
      fill(
        foot,
        error ? h('span', { class: 'field-error', role: 'alert' }, explain(error)) : null,
        before
          ? h('button', { type: 'button', class: 'button', on: { click: load } }, t('audit.more'))
          : h('span', { class: 'small muted' }, t('audit.end')),
      );
    }
  },
};

/** Tells each cell its column's name, which phones show beside it. */
function labelled(line, names) {
  [...line.children].forEach((cell, index) => {
    cell.dataset.label = t(`audit.${names[index]}`);
  });
  return line;
}

function row(entry, known) {
  const action = has(`audit.${entry.action}`) ? t(`audit.${entry.action}`) : entry.action;
  const app = entry.app_id ? known.find((one) => one.id === entry.app_id) : null;
  return h(
    'tr',
    { data: { action: entry.action } },
    h(
      'td',
      { class: 'nowrap' },
      h('time', { datetime: entry.at }, dateTime(entry.at, undefined, { seconds: true })),
    ),
    h('th', { scope: 'row' }, action),
    h(
      'td',
      { class: ['wrap-anywhere', !entry.app_name && 'is-none'] },
      app
        ? h('a', { href: `/apps/${encodeURIComponent(app.id)}/settings` }, entry.app_name)
        : (entry.app_name ?? '–'),
    ),
    h('td', { class: ['wrap-anywhere', 'soft', !entry.details && 'is-none'] }, entry.details ?? '–'),
    h('td', { class: 'nowrap' }, entry.email),
  );
}
