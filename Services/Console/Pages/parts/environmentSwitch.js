import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { icon } from './icon.js';
import { menu } from './menu.js';

const names = ['production', 'development'];

/** The switch between the worlds of production and development; the address keeps it. */
export function environmentSwitch(ctx) {
  const button = h(
    'button',
    {
      type: 'button',
      class: ['button', 'environment', ctx.environment],
      id: 'environment',
      aria: { label: `${t('shell.environment')}: ${t(`shell.${ctx.environment}`)}` },
    },
    h('span', { class: 'dot', aria: { hidden: 'true' } }),
    h('span', { class: 'control-text' }, t(`shell.${ctx.environment}`)),
    icon('chevron', { size: 14 }),
  );
  return menu({
    button,
    label: t('shell.environment'),
    items: names.map((name) => ({
      label: t(`shell.${name}`),
      checked: name === ctx.environment,
      on: () => ctx.setQuery({ environment: name === 'production' ? null : name }),
    })),
  });
}
