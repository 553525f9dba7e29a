import { fill, h } from '../core/dom.js';
import { day, dayRange } from '../core/format.js';
import { t } from '../core/i18n.js';
import { reportPath, reportQuery } from '../core/reportQuery.js';
import { filterBar } from '../parts/filterBar.js';
import { rangePicker } from '../parts/rangePicker.js';
import { report } from '../parts/report.js';
import { emptyState } from '../parts/states.js';
import { segments } from '../parts/tabs.js';
import { averageCurve } from './retention/curve.js';
import { heatMap } from './retention/heatMap.js';

const periodChoices = { day: [7, 14, 30, 60, 90], week: [4, 8, 12, 26, 52] };
const periodsDefault = { day: 30, week: 12 };

/** Who comes back: cohorts of first days or weeks, and the share of each that was active later. */
export const page = {
  title: () => t('shell.retention'),
  async mount(root, first) {
    let ctx = first;
    const bar = h('div', { class: 'report-bar' });
    const note = h('p', { class: 'report-note small muted' });
    const curve = report({
      title: t('retention.curve'),
      height: 220,
      signal: first.signal,
      render: drawCurve,
      hasCopyLabel: true,
      className: 'retention-curve',
    });
    const map = report({
      title: t('retention.cohorts'),
      height: 420,
      signal: first.signal,
      isFlush: true,
      render: drawMap,
      className: 'retention',
    });
    root.append(h('div', { class: 'stack' }, bar, note, curve.element, map.element));

    function drawCurve(body, data) {
      body.append(hasPeople(data) ? averageCurve(data) : nobody());
      return { note: h('span', {}, t('retention.averageNote')) };
    }

    function drawMap(body, data) {
      body.append(hasPeople(data) ? heatMap(data, ctx.query.get('show') === 'people') : nobody());
      return {
        note: h(
          'span',
          { class: 'row' },
          h('span', { class: 'heat-key', aria: { hidden: 'true' } }),
          t('retention.unfinishedNote'),
        ),
      };
    }

    function update(now) {
      ctx = now;
      const cohort = now.query.get('cohort') === 'week' ? 'week' : 'day';
      const periods = periodsOf(now.query, cohort);
      const query = reportQuery(withRange(now, cohort));
      const focusedId = root.contains(document.activeElement) ? document.activeElement.id : null;
      fill(
        bar,
        rangePicker({ ctx: now, range: query.range, canCompare: false }),
        choice('cohort', ['day', 'week'], cohort, (value) =>
          now.setQuery({ cohort: value === 'day' ? null : value, periods: null }),
        ),
        choice('unit', ['persons', 'installs'], query.unit, (value) =>
          now.setQuery({ unit: value === 'persons' ? null : value }),
        ),
        filterBar({ ctx: now, query, breakdownPath: reportPath(now, 'audience/breakdown') }),
      );
      fill(
        note,
        t(`retention.who_${cohort}`),
        ' ',
        query.range.from === query.range.to
          ? day(query.range.from)
          : dayRange(query.range.from, query.range.to),
        ' · ',
        t('states.days', { zone: now.app.timezone }),
      );
      fill(
        map.tools,
        periodSelect(now, cohort, periods),
        choice(
          'show',
          ['share', 'people'],
          now.query.get('show') === 'people' ? 'people' : 'share',
          (value) => now.setQuery({ show: value === 'share' ? null : value }),
        ),
      );
      if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
      const request = {
        path: reportPath(now, 'retention'),
        params: { ...query.params, cohort, periods: String(periods) },
        zone: now.app.timezone,
      };
      curve.load(request);
      map.load(request);
    }
    update(first);
    return { update };
  },
};

function choice(name, values, value, choose) {
  return segments({
    label: t(`retention.${name}`),
    value,
    idPrefix: name,
    choose,
    items: values.map((one) => ({ value: one, label: t(`retention.${name}_${one}`) })),
  });
}

function periodSelect(ctx, cohort, periods) {
  const choices = [...new Set([...periodChoices[cohort], periods])].sort((a, b) => a - b);
  return h(
    'select',
    {
      class: 'select small-select',
      id: 'periods',
      aria: { label: t('retention.periods') },
      on: {
        change: (event) =>
          ctx.setQuery({
            periods: Number(event.target.value) === periodsDefault[cohort] ? null : event.target.value,
          }),
      },
    },
    choices.map((value) =>
      h('option', { value, selected: value === periods }, t(`retention.periods_${cohort}`, { count: value })),
    ),
  );
}

function periodsOf(query, cohort) {
  const wanted = Number(query.get('periods'));
  return Number.isInteger(wanted) && wanted >= 1 && wanted <= 90 ? wanted : periodsDefault[cohort];
}

/** Weeks need a longer period than days to say anything. */
function withRange(ctx, cohort) {
  const hasOwn = ctx.query.has('range') || ctx.query.has('from');
  if (hasOwn || cohort === 'day') return ctx;
  const query = new URLSearchParams(ctx.query);
  query.set('range', 'last_90');
  return { ...ctx, query };
}

function hasPeople(data) {
  return data.cohorts.some((cohort) => cohort.size > 0);
}

function nobody() {
  return emptyState({
    title: t('retention.emptyTitle'),
    text: t('retention.emptyText'),
    iconName: 'retention',
  });
}
