import { h } from '../../core/dom.js';
import { percent } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { lineChart } from '../../parts/chart.js';

const marks = { day: [1, 3, 7, 14, 30], week: [1, 2, 4, 8, 12] };

/** The average retention as a curve, with the periods people speak of in numbers. */
export function averageCurve(data) {
  const name = t(`retention.period_${data.cohort}`);
  const labels = data.average.map((_, index) => String(index));
  const shown = marks[data.cohort].filter((index) => index < data.average.length);
  const known = data.average.filter((share) => share !== null);
  return h(
    'div',
    {},
    h(
      'dl',
      { class: 'minis' },
      shown.map((index) =>
        h(
          'div',
          { class: 'mini' },
          h('dt', {}, `${name} ${index}`),
          h('dd', { class: 'number' }, percent(data.average[index])),
        ),
      ),
    ),
    lineChart({
      name: t('retention.curveName', {
        last: name,
        index: Math.max(0, known.length - 1),
        share: percent(known.at(-1) ?? null),
      }),
      labels,
      titles: labels.map((label) => `${name} ${label}`),
      format: (value) => percent(value, 2),
      formatAxis: (value) => percent(value, 0),
      height: 200,
      isShare: true,
      series: [{ name: t('retention.average'), color: 'series-1', isFilled: true, values: data.average }],
    }),
  );
}
