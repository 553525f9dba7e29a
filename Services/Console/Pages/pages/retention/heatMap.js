import { h } from '../../core/dom.js';
import { day, dayRange, number, percent } from '../../core/format.js';
import { t } from '../../core/i18n.js';

/** At most this much of the heat colour lies below a share in words, so that words stay readable. */
const strengthMax = 0.64;

/**
 * Cohorts by period as a table whose cells are coloured by their share.
 *
 * Periods that have not ended are hatched and say so; cohorts without people have dashes.
 */
export function heatMap(data, showsPeople) {
  const count = Math.max(data.average.length, ...data.cohorts.map((cohort) => cohort.retention.length));
  const periods = Array.from({ length: count }, (_, index) => index);
  return h(
    'div',
    { class: 'table-wrap heat-wrap', tabindex: '0', role: 'group', aria: { label: t('retention.cohorts') } },
    h(
      'table',
      { class: 'heat' },
      h('caption', { class: 'visually-hidden' }, t('retention.caption')),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col', class: 'heat-name' }, t(`retention.cohort_${data.cohort}`)),
          h('th', { scope: 'col', class: 'heat-size' }, t('retention.size')),
          periods.map((index) =>
            h(
              'th',
              { scope: 'col' },
              h('span', { class: 'visually-hidden' }, t(`retention.period_${data.cohort}`)),
              ' ',
              String(index),
            ),
          ),
        ),
      ),
      h(
        'tbody',
        {},
        averageRow(data, periods),
        data.cohorts.map((cohort) => row(data, cohort, periods, showsPeople)),
      ),
    ),
  );
}

function averageRow(data, periods) {
  const size = data.cohorts.reduce((sum, cohort) => sum + cohort.size, 0);
  return h(
    'tr',
    { class: 'heat-average' },
    h('th', { scope: 'row', class: 'heat-name', title: t('retention.averageNote') }, t('retention.average')),
    h('td', { class: 'heat-size number' }, number(size)),
    periods.map((index) => {
      const share = data.average[index] ?? null;
      return share === null
        ? unfinishedCell(t('retention.average'), index, data)
        : h(
            'td',
            {
              ...coloured(share),
              title: `${t(`retention.period_${data.cohort}`)} ${index}: ${percent(share, 2)}`,
            },
            text(share),
          );
    }),
  );
}

function row(data, cohort, periods, showsPeople) {
  const name = nameOf(cohort);
  return h(
    'tr',
    {},
    h('th', { scope: 'row', class: 'heat-name' }, name),
    h('td', { class: 'heat-size number' }, number(cohort.size)),
    periods.map((index) => {
      const share = cohort.retention[index] ?? null;
      const returned = cohort.returned[index] ?? null;
      if (returned === null) return unfinishedCell(name, index, data);
      if (share === null) return h('td', { class: 'heat-none' }, '–');
      const title = t('retention.cell', {
        cohort: name,
        period: `${t(`retention.period_${data.cohort}`)} ${index}`,
        returned,
        size: cohort.size,
        share: percent(share, 2),
      });
      return h('td', { ...coloured(share), title }, showsPeople ? number(returned) : text(share));
    }),
  );
}

function unfinishedCell(name, index, data) {
  return h(
    'td',
    {
      class: 'heat-unfinished',
      title: `${name}, ${t(`retention.period_${data.cohort}`)} ${index}: ${t('retention.unfinished')}`,
    },
    h('span', { class: 'visually-hidden' }, t('retention.unfinished')),
  );
}

/** Small shares differ more to the eye than their numbers do, therefore the root. */
function coloured(share) {
  return share === 1
    ? { class: 'heat-full' }
    : { style: { '--strength': (strengthMax * Math.sqrt(share)).toFixed(3) } };
}

function text(share) {
  return percent(share, share === 1 || share === 0 ? 0 : 1);
}

function nameOf(cohort) {
  return cohort.from === cohort.to ? day(cohort.from, 'weekday') : dayRange(cohort.from, cohort.to);
}
