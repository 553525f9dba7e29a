import { h } from '../core/dom.js';
import { compact } from '../core/format.js';
import { t } from '../core/i18n.js';
import { token } from '../core/theme.js';

/**
 * Draws lines over time: an element with a legend and the chart.
 *
 * `labels` name the points on the axis and `titles` in full. A series is {name, values, incomplete, color,
 * isCompared, isFilled, titles}: `values` holds nulls where there is nothing, `incomplete` marks points that
 * are 'running' or 'cut' by the period, which are drawn dotted. `name` says the chart to screen readers, who
 * also have the table view. `format` writes a value in full, `formatAxis` on the axis.
 */
export function lineChart({
  name,
  labels,
  titles = labels,
  series,
  format,
  formatAxis = compact,
  height = 280,
  isDuration = false,
  isShare = false,
}) {
  placeTooltips();
  const canvas = h('canvas', { role: 'img', aria: { label: name } });
  const box = h('div', { class: 'chart-box', style: { height: `${height}px` } }, canvas);
  const element = h('div', { class: 'chart' }, legend(series), box);
  const chart = new window.Chart(canvas, {
    type: 'line',
    data: { labels, datasets: series.map((one) => dataset(one, labels.length)) },
    options: options({ titles, series, format, formatAxis, isDuration, isShare }),
    plugins: [crosshair],
  });
  // The element may be taken out at any time by whoever shows it; the chart's listeners then have to go, too.
  const watcher = new ResizeObserver(() => {
    if (canvas.isConnected) return;
    watcher.disconnect();
    chart.destroy();
  });
  watcher.observe(canvas);
  return element;
}

function legend(series) {
  const has = (kind) => series.some((one) => one.incomplete?.includes(kind));
  const dotted = (text) =>
    h(
      'li',
      { class: 'muted' },
      h('span', { class: 'legend-mark is-dotted', style: { '--mark': 'currentcolor' } }),
      text,
    );
  return h(
    'ul',
    { class: 'legend' },
    series.map((one) =>
      h(
        'li',
        {},
        h('span', {
          class: ['legend-mark', one.isCompared && 'is-dashed'],
          style: { '--mark': `var(--${one.color})` },
        }),
        one.name,
      ),
    ),
    has('running') ? dotted(t('reports.unfinished')) : null,
    has('cut') ? dotted(t('reports.part')) : null,
  );
}

function dataset(one, pointCount) {
  const color = token(one.color);
  const isIncomplete = (index) => Boolean(one.incomplete?.[index]);
  // A point between two gaps would not be seen as a line.
  const isAlone = (index) =>
    (one.values[index - 1] ?? null) === null && (one.values[index + 1] ?? null) === null;
  const radius = (context) =>
    isIncomplete(context.dataIndex) || isAlone(context.dataIndex) || pointCount === 1 ? 3.5 : 0;
  return {
    label: one.name,
    data: one.values,
    borderColor: color,
    borderWidth: one.isCompared ? 1.5 : 2,
    borderDash: one.isCompared ? [5, 4] : [],
    fill: one.isFilled ? 'origin' : false,
    backgroundColor: (context) => (one.isFilled ? gradient(context.chart, color) : color),
    pointRadius: radius,
    pointHoverRadius: 4,
    pointHitRadius: 12,
    pointBorderColor: color,
    pointBorderWidth: 1.5,
    pointBackgroundColor: (context) => (isIncomplete(context.dataIndex) ? token('surface') : color),
    pointHoverBackgroundColor: color,
    tension: 0,
    spanGaps: false,
    segment: {
      borderDash: (context) =>
        isIncomplete(context.p1DataIndex) || isIncomplete(context.p0DataIndex) ? [2, 3] : undefined,
    },
  };
}

function gradient(chart, color) {
  const area = chart.chartArea;
  if (!area) return 'transparent';
  const made = chart.ctx.createLinearGradient(0, area.top, 0, area.bottom);
  made.addColorStop(0, `${color}2e`);
  made.addColorStop(1, `${color}03`);
  return made;
}

function options({ titles, series, format, formatAxis, isDuration, isShare }) {
  const text = token('text-3');
  const font = { family: getComputedStyle(document.body).fontFamily, size: 11 };
  return {
    responsive: true,
    maintainAspectRatio: false,
    animation: false,
    normalized: true,
    interaction: { mode: 'index', intersect: false },
    layout: { padding: { top: 6, right: 6 } },
    plugins: {
      legend: { display: false },
      tooltip: tooltip({ titles, series, format, font }),
    },
    scales: {
      x: {
        grid: { display: false, drawBorder: false },
        ticks: { color: text, font, maxRotation: 0, autoSkipPadding: 18 },
      },
      y: {
        beginAtZero: true,
        suggestedMax: isShare ? undefined : isDuration ? 5000 : 4,
        max: isShare ? 1 : undefined,
        grid: { color: token('grid'), drawBorder: false, drawTicks: false },
        ticks: {
          color: text,
          font,
          maxTicksLimit: 7,
          padding: 8,
          stepSize: isDuration ? durationStep(series) : undefined,
          callback: (value) => (isShare || Number.isInteger(value) || value > 10 ? formatAxis(value) : ''),
        },
      },
    },
  };
}

const roundSeconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];

/**
 * Steps of an axis of durations are round in seconds, minutes or hours, not in powers of ten of milliseconds.
 */
function durationStep(series) {
  const largest = Math.max(1000, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
  return (roundSeconds.find((seconds) => seconds * 1000 * 5 >= largest) ?? largest / 5000) * 1000;
}

function tooltip({ titles, series, format, font }) {
  return {
    backgroundColor: token('surface'),
    borderColor: token('border-strong'),
    borderWidth: 1,
    titleColor: token('text'),
    bodyColor: token('text-2'),
    footerColor: token('text-3'),
    titleFont: { ...font, size: 12, weight: '600' },
    bodyFont: { ...font, size: 12 },
    footerFont: { ...font, size: 11, weight: '400' },
    position: 'aside',
    yAlign: 'top',
    padding: 10,
    cornerRadius: 8,
    boxWidth: 8,
    boxHeight: 8,
    boxPadding: 4,
    usePointStyle: true,
    caretSize: 0,
    itemSort: (a, b) => a.datasetIndex - b.datasetIndex,
    callbacks: {
      title: (items) => (items.length ? titles[items[0].dataIndex] : ''),
      label: (item) => {
        const one = series[item.datasetIndex];
        const when = one.titles?.[item.dataIndex];
        return ` ${one.name}${when ? `, ${when}` : ''}: ${format(item.raw)}`;
      },
      labelColor: (item) => ({
        borderColor: token(series[item.datasetIndex].color),
        backgroundColor: token(series[item.datasetIndex].color),
        borderWidth: 0,
      }),
      footer: (items) => {
        const kinds = items.map((item) => series[item.datasetIndex].incomplete?.[item.dataIndex]);
        return kinds.includes('running')
          ? t('reports.unfinishedPoint')
          : kinds.includes('cut')
            ? t('reports.partPoint')
            : '';
      },
    },
  };
}

/** The tooltip stands at the top, beside the moment, where it hides the least of the lines. */
function placeTooltips() {
  window.Chart.Tooltip.positioners.aside = function aside(elements) {
    if (!elements.length) return false;
    const { left, right, top } = this.chart.chartArea;
    const x = elements[0].element.x;
    return { x, y: top, xAlign: x > (left + right) / 2 ? 'right' : 'left' };
  };
}

/** A thin line where the pointer is, so that points above each other read as one moment. */
const crosshair = {
  id: 'crosshair',
  beforeDatasetsDraw(chart) {
    const at = chart.tooltip?.getActiveElements?.()[0]?.element?.x;
    if (at === undefined) return;
    const { ctx, chartArea } = chart;
    ctx.save();
    ctx.strokeStyle = token('border-strong');
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(at, chartArea.top);
    ctx.lineTo(at, chartArea.bottom);
    ctx.stroke();
    ctx.restore();
  },
};
