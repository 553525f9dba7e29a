import { h } from '../core/dom.js';
import { platform as platformName } from '../core/format.js';
import { t } from '../core/i18n.js';
import { icon } from './icon.js';
import { menu } from './menu.js';

/** The switch between all platforms of an app and one of them; the address keeps it. */
export function platformSwitch(ctx) {
  const chosen = ctx.query.getAll('platform');
  const label =
    chosen.length === 0
      ? t('shell.allPlatforms')
      : chosen.length === 1
        ? platformName(chosen[0])
        : t('shell.somePlatforms', { count: chosen.length });
  const button = h(
    'button',
    {
      type: 'button',
      class: 'button',
      id: 'platform-switch',
      aria: { label: `${t('shell.platform')}: ${label}` },
    },
    h('span', { class: 'control-text' }, label),
    icon('chevron', { size: 14 }),
  );
  const known = [...new Set([...ctx.app.platforms, ...chosen])];
  return menu({
    button,
    label: t('shell.platform'),
    items: [
      {
        label: t('shell.allPlatforms'),
        checked: chosen.length === 0,
        on: () => ctx.setQuery({ platform: null }),
      },
      ...known.map((name) => ({
        label: platformName(name),
        checked: chosen.length === 1 && chosen[0] === name,
        on: () => ctx.setQuery({ platform: name }),
      })),
    ],
  });
}
