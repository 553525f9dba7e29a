import { h } from '../../core/dom.js';
import { day, dayRange, number, percent } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { reportPath } from '../../core/reportQuery.js';
import { lineChart } from '../../parts/chart.js';
import { dataTable } from '../../parts/dataTable.js';
import { report } from '../../parts/report.js';
import { isTable, tableToggle } from '../../parts/tableToggle.js';
import { prepare } from './points.js';

const kinds = [
  ['mau', 'series-3'],
  ['wau', 'series-2'],
  ['dau', 'series-1'],
];

/** Active of one, seven and thirty days, day by day. */
export function rollingReport(first) {
  let ctx = first;
  const card = report({
    title: t('audience.rolling'),
    height: 260,
    signal: first.signal,
    render,
    className: 'rolling',
  });

  function render(body, data) {
    const lines = kinds.map(([kind, color]) => ({
      kind,
      color,
      points: prepare(
        data.points.map((point) => ({ ts: point.ts, value: point[kind], complete: point.complete })),
        { granularity: 'day', from: data.from, to: data.to },
      ),
    }));
    if (isTable(ctx, 'rolling')) body.append(table(data, lines));
    else {
      body.append(
        stickiness(lines),
        lineChart({
          name: t('audience.rollingName', { dates: dayRange(data.from, data.to) }),
          labels: lines[0].points.map((point) => point.label),
          titles: lines[0].points.map((point) => point.title),
          format: number,
          height: 250,
          series: lines.map((line) => ({
            name: t(`audience.${line.kind}`),
            color: line.color,
            values: line.points.map((point) => point.value),
            incomplete: line.points.map((point) => point.incomplete),
          })),
        }),
      );
    }
    return { note: h('span', {}, t('audience.rollingNote')) };
  }

  return {
    element: card.element,
    update(now, query) {
      ctx = now;
      const focusedId = card.extras.contains(document.activeElement) ? document.activeElement.id : null;
      card.extras.replaceChildren(tableToggle(now, 'rolling'));
      if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
      card.load({
        path: reportPath(now, 'audience/rolling-active'),
        params: query.params,
        zone: now.app.timezone,
      });
    },
  };
}

/** The figures of the last day that is over. */
function stickiness(lines) {
  const [mau, wau, dau] = lines.map((line) => line.points);
  const last = dau.findLastIndex((point) => point.incomplete === null && !point.isFuture);
  if (last < 0) return h('div');
  const share = mau[last].value ? dau[last].value / mau[last].value : null;
  const figure = (name, value, hint) =>
    h('div', { class: 'mini', title: hint }, h('dt', {}, name), h('dd', { class: 'number' }, value));
  return h(
    'dl',
    { class: 'minis' },
    h('div', { class: 'mini muted' }, h('dt', {}, t('audience.day')), h('dd', {}, dau[last].title)),
    figure(t('audience.dau'), number(dau[last].value), t('audience.dauHint')),
    figure(t('audience.wau'), number(wau[last].value), t('audience.wauHint')),
    figure(t('audience.mau'), number(mau[last].value), t('audience.mauHint')),
    figure(t('audience.stickiness'), percent(share), t('audience.stickinessHint', { day: dau[last].title })),
  );
}

function table(data, lines) {
  const rows = data.points.map((point, index) => ({
    date: point.ts.slice(0, 10),
    points: lines.map((line) => line.points[index]),
  }));
  const column = (name) => {
    const index = kinds.findIndex(([kind]) => kind === name);
    return {
      key: name,
      label: t(`audience.${name}`),
      title: t(`audience.${name}Hint`),
      isNumber: true,
      value: (row) => row.points[index].value,
      cell: (row) => number(row.points[index].value),
    };
  };
  return dataTable({
    caption: t('audience.rolling'),
    rows,
    limit: 400,
    columns: [
      {
        key: 'day',
        label: t('audience.day'),
        value: (row) => row.date,
        cell: (row) => [
          day(row.date, 'weekday'),
          row.points[0].incomplete ? h('span', { class: 'badge end' }, t('reports.unfinished')) : null,
        ],
      },
      column('dau'),
      column('wau'),
      column('mau'),
    ],
  }).element;
}
