import { h } from '../../core/dom.js';
import { t } from '../../core/i18n.js';
import { reportPath } from '../../core/reportQuery.js';
import { report } from '../../parts/report.js';
import { tile } from '../../parts/tile.js';
import { formatOf, metricName, metricOf, metrics } from './metrics.js';

const figures = [...metrics, 'median_duration_ms'];

/** The tiles of the period; a click shows the figure's course below. */
export function summaryReport(first) {
  let ctx = first;
  let unit = 'persons';
  let last = null;
  const card = report({
    title: t('audience.summary'),
    height: 84,
    signal: first.signal,
    isFlush: true,
    hasCopyLabel: true,
    className: 'summary',
    render,
  });

  function render(body, data) {
    last = { body, data };
    const chosen = metricOf(ctx.query);
    body.append(
      h(
        'div',
        { class: 'tiles', role: 'list' },
        figures.map((name) => {
          const format = formatOf(name);
          return tile({
            label: metricName(name, unit),
            hint: t(`audience.hint_${name}`),
            value: format(data[name]),
            change: data.compare ? data.compare.delta_pct[name] : undefined,
            before: data.compare ? t('reports.before', { value: format(data.compare[name]) }) : null,
            isChosen: name === chosen,
            choose: metrics.includes(name)
              ? () => ctx.setQuery({ metric: name === 'active' ? null : name })
              : null,
            chooseLabel: t('audience.show', { metric: metricName(name, unit) }),
            id: `tile-${name}`,
          });
        }),
      ),
    );
  }

  return {
    element: card.element,
    update(now, query) {
      ctx = now;
      unit = query.unit;
      const focusedId = card.element.contains(document.activeElement) ? document.activeElement.id : null;
      card.load({
        path: reportPath(now, 'audience/summary'),
        params: { ...query.params, compare: query.range.compare },
        zone: now.app.timezone,
      });
      if (focusedId && last) document.getElementById(focusedId)?.focus({ preventScroll: true });
    },
  };
}
