import { get } from '../../core/api.js';
import { fill, h } from '../../core/dom.js';
import { dateTime, day, number } from '../../core/format.js';
import { has, t } from '../../core/i18n.js';
import { section } from '../../parts/section.js';
import { stackedTable } from '../../parts/stackedTable.js';
import { emptyState, errorState, skeleton } from '../../parts/states.js';

const firstLimit = 10;
const wholeLimit = 200;

/** Why figures of the past have changed: the days that were built again, the latest first. */
export function revisionsSection(ctx) {
  const body = h('div', {}, h('div', { class: 'card-body' }, skeleton({ lines: 3 })));
  load(firstLimit);
  return section(
    { id: 'revisions', title: t('settings.revisions'), hint: t('settings.revisionsHint') },
    body,
  );

  async function load(limit) {
    try {
      const answer = await get(
        `apps/${encodeURIComponent(ctx.app.id)}/day-revisions`,
        { limit },
        { signal: ctx.signal },
      );
      const more =
        limit < wholeLimit && answer.items.length === limit
          ? h(
              'div',
              { class: 'table-more' },
              h(
                'button',
                { type: 'button', class: 'button small quiet', on: { click: () => load(wholeLimit) } },
                t('settings.moreRevisions'),
              ),
            )
          : null;
      fill(
        body,
        answer.items.length
          ? [table(answer.items), more]
          : emptyState({
              title: t('settings.noRevisions'),
              text: t('settings.noRevisionsText'),
              iconName: 'calendar',
            }),
      );
    } catch (error) {
      if (error.name !== 'AbortError')
        fill(
          body,
          errorState(error, () => load(limit)),
        );
    }
  }

  function table(items) {
    return stackedTable(
      t('settings.revisions'),
      h(
        'table',
        { class: 'table' },
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, t('settings.day')),
            h('th', { scope: 'col' }, t('settings.cause')),
            h('th', { scope: 'col', class: 'is-number' }, t('settings.revision')),
            h('th', { scope: 'col' }, t('settings.closedAt')),
          ),
        ),
        h(
          'tbody',
          {},
          items.map((item) =>
            h(
              'tr',
              {},
              h(
                'th',
                { scope: 'row', class: 'nowrap' },
                day(item.day),
                item.environment === 'development'
                  ? [' ', h('span', { class: 'badge warn' }, t('people.development'))]
                  : null,
              ),
              h(
                'td',
                {},
                has(`settings.cause_${item.cause}`) ? t(`settings.cause_${item.cause}`) : (item.cause ?? '–'),
              ),
              h('td', { class: 'is-number' }, number(item.revision)),
              h('td', { class: 'nowrap' }, dateTime(item.closed_at, ctx.app.timezone)),
            ),
          ),
        ),
      ),
    );
  }
}
