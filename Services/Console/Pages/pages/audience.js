import { fill, h } from '../core/dom.js';
import { day, dayRange } from '../core/format.js';
import { t } from '../core/i18n.js';
import { reportPath, reportQuery } from '../core/reportQuery.js';
import { filterBar } from '../parts/filterBar.js';
import { icon } from '../parts/icon.js';
import { rangePicker } from '../parts/rangePicker.js';
import { segments } from '../parts/tabs.js';
import { breakdownReport } from './audience/breakdown.js';
import { rollingReport } from './audience/rolling.js';
import { seriesReport } from './audience/series.js';
import { summaryReport } from './audience/summary.js';

/** Who uses the app: totals with comparison, their course over time, rolling active, and breakdowns. */
export const page = {
  title: () => t('shell.audience'),
  async mount(root, ctx) {
    const bar = h('div', { class: 'report-bar' });
    const note = h('div', { class: 'report-note small' });
    const reports = [summaryReport(ctx), seriesReport(ctx), rollingReport(ctx), breakdownReport(ctx)];
    root.append(
      h(
        'div',
        { class: 'stack' },
        bar,
        note,
        reports.map((one) => one.element),
      ),
    );

    function update(now) {
      const query = reportQuery(now);
      const focusedId = bar.contains(document.activeElement) ? document.activeElement.id : null;
      fill(
        bar,
        rangePicker({ ctx: now, range: query.range }),
        unitSwitch(now, query.unit),
        filterBar({ ctx: now, query, breakdownPath: reportPath(now, 'audience/breakdown') }),
      );
      if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
      fill(note, periodNote(now, query.range));
      for (const one of reports) one.update(now, query);
    }
    update(ctx);
    return { update };
  },
};

function unitSwitch(ctx, unit) {
  const element = segments({
    label: t('reports.unit'),
    value: unit,
    idPrefix: 'unit',
    choose: (value) => ctx.setQuery({ unit: value === 'persons' ? null : value }),
    items: ['persons', 'installs'].map((value) => ({
      value,
      label: t(`reports.${value}`),
      title: value === 'persons' ? t('reports.unitHint') : null,
    })),
  });
  return element;
}

function periodNote(ctx, range) {
  return [
    h(
      'span',
      { class: 'muted' },
      range.from === range.to ? day(range.from) : dayRange(range.from, range.to),
      ' · ',
      t('states.days', { zone: ctx.app.timezone }),
      range.compare === 'none'
        ? null
        : ` · ${t('reports.comparedTo', { dates: dayRange(range.compareFrom, range.compareTo) })}`,
    ),
    range.hasToday
      ? h(
          'span',
          { class: 'row warn' },
          icon('clock', { size: 13 }),
          t('reports.todayRuns', { day: day(range.today, 'short'), zone: ctx.app.timezone }),
        )
      : null,
  ];
}
