import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { icon } from './icon.js';

/** Whether the address asks for a chart's figures as a table. */
export function isTable(ctx, name) {
  return ctx.query.getAll('table').includes(name);
}

/** The button that shows a chart as table and back; the address keeps it. */
export function tableToggle(ctx, name) {
  const isOn = isTable(ctx, name);
  const label = t(isOn ? 'reports.showChart' : 'reports.showTable');
  const others = ctx.query.getAll('table').filter((one) => one !== name);
  return h(
    'button',
    {
      type: 'button',
      class: 'button quiet small icon-only',
      id: `table-${name}`,
      title: label,
      aria: { label, pressed: isOn },
      on: { click: () => ctx.setQuery({ table: isOn ? others : [...others, name] }) },
    },
    icon(isOn ? 'chart' : 'table'),
  );
}
