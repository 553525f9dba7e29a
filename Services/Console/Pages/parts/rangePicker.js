import { addDays, daysBetween, isDay } from '../core/calendar.js';
import { h, uniqueId } from '../core/dom.js';
import { dayRange, day } from '../core/format.js';
import { t } from '../core/i18n.js';
import { customQuery, presetQuery, presets, rangeDaysMax } from '../core/range.js';
import { icon } from './icon.js';
import { popover } from './popover.js';

/**
 * The picker of the period: a button with presets, days of one's own and comparison, between two steps back
 * and forth.
 */
export function rangePicker({ ctx, range, canCompare = true }) {
  const dates = range.from === range.to ? day(range.from) : dayRange(range.from, range.to);
  const label = range.preset === 'custom' ? dates : t(`reports.range_${range.preset}`);
  const button = h(
    'button',
    {
      type: 'button',
      class: 'button',
      id: 'range',
      aria: { label: `${t('reports.range')}: ${label}, ${dates}` },
    },
    icon('calendar'),
    h('span', {}, label),
    range.preset === 'custom' ? null : h('span', { class: 'muted range-dates' }, dates),
    icon('chevron', { size: 14 }),
  );
  const made = popover({
    button,
    label: t('reports.range'),
    className: 'range-popover',
    content: (close) => content({ ctx, range, canCompare, close }),
  });
  const step = (direction) =>
    h(
      'button',
      {
        type: 'button',
        class: 'button icon-only',
        id: `range-${direction < 0 ? 'back' : 'forth'}`,
        aria: { label: t(direction < 0 ? 'reports.earlier' : 'reports.later') },
        disabled: direction > 0 && range.to >= range.today,
        on: {
          click: () =>
            ctx.setQuery(
              customQuery(
                addDays(range.from, direction * range.days),
                addDays(range.to, direction * range.days),
              ),
            ),
        },
      },
      icon(direction < 0 ? 'left' : 'right'),
    );
  return h('div', { class: 'row range-picker' }, step(-1), made.element, step(1));
}

function content({ ctx, range, canCompare, close }) {
  const choose = (changes) => {
    close(true);
    ctx.setQuery(changes);
  };
  return h(
    'div',
    { class: 'range-panel' },
    h(
      'div',
      { class: 'range-presets', role: 'radiogroup', aria: { label: t('reports.presets') } },
      presets.map((name) =>
        h(
          'button',
          {
            type: 'button',
            class: 'menu-item',
            role: 'radio',
            aria: { checked: range.preset === name },
            on: { click: () => choose(presetQuery(name)) },
          },
          t(`reports.range_${name}`),
          range.preset === name ? h('span', { class: 'end mark' }, icon('check')) : null,
        ),
      ),
    ),
    h(
      'div',
      { class: 'range-side stack' },
      customForm(range, choose),
      h(
        'div',
        { class: 'stack tight' },
        check(t('reports.fullDays'), range.isFullDays, range.preset === 'custom', (isOn) =>
          choose({ today: isOn ? '0' : null }),
        ),
        canCompare
          ? check(
              t('reports.compareWith', { dates: dayRange(range.compareFrom, range.compareTo) }),
              range.compare !== 'none',
              false,
              (isOn) => choose({ compare: isOn ? null : 'none' }),
            )
          : null,
      ),
      h('p', { class: 'small muted' }, t('reports.zoneHint', { zone: ctx.app.timezone })),
    ),
  );
}

function check(label, isOn, isDisabled, change) {
  return h(
    'label',
    { class: 'check' },
    h('input', {
      type: 'checkbox',
      checked: isOn,
      disabled: isDisabled,
      on: { change: (event) => change(event.target.checked) },
    }),
    label,
  );
}

function customForm(range, choose) {
  const from = h('input', {
    class: 'input',
    type: 'date',
    id: uniqueId('from'),
    value: range.from,
    required: true,
  });
  const to = h('input', {
    class: 'input',
    type: 'date',
    id: uniqueId('to'),
    value: range.to,
    required: true,
  });
  const problem = h('p', { class: 'field-error', role: 'alert', hidden: true });
  const apply = (event) => {
    event.preventDefault();
    const text = problemOf(from.value, to.value);
    problem.hidden = text === null;
    problem.textContent = text ?? '';
    if (text === null) choose(customQuery(from.value, to.value));
  };
  return h(
    'form',
    { class: 'stack tight', novalidate: true, on: { submit: apply } },
    h(
      'div',
      { class: 'row range-days' },
      h(
        'div',
        { class: 'field grow' },
        h('label', { class: 'field-label', for: from.id }, t('reports.from')),
        from,
      ),
      h(
        'div',
        { class: 'field grow' },
        h('label', { class: 'field-label', for: to.id }, t('reports.to')),
        to,
      ),
    ),
    problem,
    h('button', { type: 'submit', class: 'button' }, t('reports.apply')),
  );
}

function problemOf(from, to) {
  if (!isDay(from) || !isDay(to)) return t('reports.daysMissing');
  if (from > to) return t('reports.daysReversed');
  return daysBetween(from, to) > rangeDaysMax ? t('reports.daysTooMany', { max: rangeDaysMax }) : null;
}
