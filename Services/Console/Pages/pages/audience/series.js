import { h } from '../../core/dom.js';
import { dayRange, platform } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { hourlyDaysMax } from '../../core/range.js';
import { reportPath } from '../../core/reportQuery.js';
import { lineChart } from '../../parts/chart.js';
import { dataTable } from '../../parts/dataTable.js';
import { delta } from '../../parts/delta.js';
import { platformColor } from '../../parts/platformColor.js';
import { report } from '../../parts/report.js';
import { segments } from '../../parts/tabs.js';
import { isTable, tableToggle } from '../../parts/tableToggle.js';
import { axisFormatOf, formatOf, metricName, metricOf, metrics } from './metrics.js';
import { prepare } from './points.js';

const granularities = ['hour', 'day', 'week', 'month'];

/** One metric's course over the period, with the period before below it or a line for each platform. */
export function seriesReport(first) {
  let ctx = first;
  let unit = 'persons';
  const card = report({ title: '', height: 300, signal: first.signal, render, className: 'series' });

  function render(body, data) {
    const format = formatOf(data.metric);
    const name = metricName(data.metric, unit);
    const lines = linesOf(data, name);
    if (isTable(ctx, 'series')) {
      body.append(table({ data, lines, format, name }));
      return {};
    }
    const values = lines[0].points.map((point) => point.value).filter((value) => value !== null);
    const dates = dayRange(data.from, data.to);
    body.append(
      lineChart({
        name: values.length
          ? t('audience.chartName', {
              metric: name,
              dates,
              min: format(Math.min(...values)),
              max: format(Math.max(...values)),
            })
          : t('audience.chartNameEmpty', { metric: name, dates }),
        labels: lines[0].points.map((point) => point.label),
        titles: lines[0].points.map((point) => point.title),
        format,
        formatAxis: axisFormatOf(data.metric),
        height: 300,
        isDuration: data.metric.endsWith('_ms'),
        series: lines.map((line) => ({
          name: line.name,
          color: line.color,
          isCompared: line.isCompared,
          isFilled: line.isFilled,
          values: line.points.map((point) => point.value),
          incomplete: line.points.map((point) => point.incomplete),
          titles: line.isCompared ? line.points.map((point) => point.title) : null,
        })),
      }),
    );
    return {};
  }

  function drawTools(granularity, metric, isSplit, days) {
    const focusedId = card.element.contains(document.activeElement) ? document.activeElement.id : null;
    card.tools.replaceChildren(
      metricSelect(ctx, metric, unit),
      segments({
        label: t('audience.by'),
        value: granularity,
        idPrefix: 'by',
        choose: (value) => ctx.setQuery({ by: value }),
        items: granularities.map((value) => {
          const isTooLong = value === 'hour' && days > hourlyDaysMax;
          return {
            value,
            label: t(`audience.${value}`),
            disabled: isTooLong,
            title: isTooLong ? t('audience.hourHint') : null,
          };
        }),
      }),
      h(
        'button',
        {
          type: 'button',
          class: 'button small',
          id: 'split',
          aria: { pressed: isSplit },
          on: { click: () => ctx.setQuery({ split: isSplit ? null : 'platform' }) },
        },
        t('audience.split'),
      ),
    );
    card.extras.replaceChildren(tableToggle(ctx, 'series'));
    if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
  }

  return {
    element: card.element,
    update(now, query) {
      ctx = now;
      unit = query.unit;
      const metric = metricOf(now.query);
      const granularity = granularityOf(now.query, query.range.days);
      const isSplit = now.query.get('split') === 'platform';
      card.setTitle(metricName(metric, unit));
      drawTools(granularity, metric, isSplit, query.range.days);
      const params = { ...query.params, metric, granularity };
      if (isSplit) params.split = 'platform';
      else params.compare = query.range.compare;
      card.load({ path: reportPath(now, 'audience/timeseries'), params, zone: now.app.timezone });
    },
  };
}

function metricSelect(ctx, metric, unit) {
  return h(
    'select',
    {
      class: 'select small-select',
      id: 'metric',
      aria: { label: t('audience.metric') },
      on: {
        change: (event) =>
          ctx.setQuery({ metric: event.target.value === 'active' ? null : event.target.value }),
      },
    },
    metrics.map((value) => h('option', { value, selected: value === metric }, metricName(value, unit))),
  );
}

function granularityOf(query, days) {
  const wanted = query.get('by');
  if (granularities.includes(wanted) && (wanted !== 'hour' || days <= hourlyDaysMax)) return wanted;
  return days <= 2 ? 'hour' : 'day';
}

function linesOf(data, name) {
  const options = { granularity: data.granularity, from: data.from, to: data.to };
  if (data.splits) {
    const lines = data.splits.map((split) => ({
      name: platform(split.platform),
      color: platformColor(split.platform),
      points: prepare(split.points, options),
    }));
    return lines.length ? lines : [{ name, color: 'series-1', points: prepare(data.points, options) }];
  }
  const lines = [{ name, color: 'series-1', isFilled: true, points: prepare(data.points, options) }];
  if (data.compare) {
    lines.push({
      name: t('audience.before'),
      color: 'compare',
      isCompared: true,
      points: prepare(data.compare.points, {
        granularity: data.granularity,
        from: data.compare.from,
        to: data.compare.to,
      }),
    });
  }
  return lines;
}

function table({ data, lines, format, name }) {
  // The period before may be cut into one week or month more; what has no partner in this period is left out.
  const rows = lines[0].points.map((_, index) => ({
    index,
    points: lines.map((line) => line.points[index]),
  }));
  const columns = [
    {
      key: 'period',
      label: t('audience.period'),
      value: (row) => row.index,
      cell: (row) => [
        row.points[0].title,
        row.points[0].incomplete
          ? h(
              'span',
              { class: 'badge end' },
              t(row.points[0].incomplete === 'cut' ? 'reports.part' : 'reports.unfinished'),
            )
          : null,
      ],
    },
  ];
  for (const [index, line] of lines.entries()) {
    columns.push({
      key: `line${index}`,
      label: line.name,
      isNumber: true,
      value: (row) => row.points[index]?.value ?? null,
      cell: (row) => format(row.points[index]?.value ?? null),
    });
  }
  if (data.compare) {
    const change = (row) => changeOf(row.points[1], row.points[0]);
    columns.push({
      key: 'change',
      label: t('audience.change'),
      isNumber: true,
      value: change,
      cell: (row) => delta(change(row)),
    });
  }
  return dataTable({ columns, rows, caption: name, limit: 400 }).element;
}

/** The change between whole buckets only: a part of a week says nothing against a whole one. */
function changeOf(before, now) {
  if (!before?.value || !Number.isFinite(now?.value) || before.incomplete || now.incomplete) return null;
  return ((now.value - before.value) / before.value) * 100;
}
