import { fill, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { appPath } from '../core/routes.js';
import { icon } from './icon.js';
import { move } from './menu.js';
import { popover } from './popover.js';

/** The button that names the app and opens the list of all of them, with search. */
export function appSwitcher(apps, app, route) {
  const section = route?.path?.startsWith('/apps/:app/') ? route.section : 'audience';
  const button = h(
    'button',
    {
      type: 'button',
      class: 'app-switch',
      id: 'app-switch',
      aria: { label: app ? `${t('shell.switchApp')}: ${app.name}` : t('shell.switchApp') },
    },
    appMark(app),
    h(
      'span',
      { class: 'app-switch-text' },
      h(
        'span',
        { class: 'app-switch-name ellipsis', style: { display: 'block' } },
        app?.name ?? t('shell.switchApp'),
      ),
      app
        ? h('span', { class: 'app-switch-zone ellipsis', style: { display: 'block' } }, app.timezone)
        : null,
    ),
    icon('chevron'),
  );
  return popover({
    button,
    label: t('shell.switchApp'),
    className: 'app-list',
    content: (close) => list(apps, app, section, close),
  }).element;
}

function list(apps, current, section, close) {
  const rows = h('div', { class: 'menu-list' });
  const input = h('input', {
    class: 'input',
    type: 'search',
    placeholder: t('shell.findApp'),
    aria: { label: t('shell.findApp') },
    data: { focus: '' },
    on: { input: draw },
  });

  function draw() {
    const wanted = input.value.trim().toLowerCase();
    const found = apps
      .filter((app) => app.name.toLowerCase().includes(wanted) || app.id === wanted)
      .sort((a, b) => (a.status === 'archived') - (b.status === 'archived') || a.name.localeCompare(b.name));
    fill(
      rows,
      found.length
        ? found.slice(0, 200).map((app) =>
            h(
              'a',
              {
                class: 'menu-item',
                href: appPath(app.id, section),
                aria: { current: app.id === current?.id ? 'true' : null },
                on: { click: () => close(false) },
              },
              appMark(app),
              h('span', { class: 'ellipsis grow' }, app.name),
              app.status === 'archived' ? h('span', { class: 'badge' }, t('common.archived')) : null,
              app.id === current?.id ? icon('check') : null,
            ),
          )
        : h('p', { class: 'menu-title' }, t('shell.noApps')),
    );
  }
  draw();
  return h(
    'div',
    { class: 'stack tight', on: { keydown: move } },
    h('div', { class: 'search' }, icon('search'), input),
    rows,
    h('div', { class: 'menu-separator', role: 'separator' }),
    h(
      'a',
      { class: 'menu-item', href: '/apps/new', on: { click: () => close(false) } },
      icon('plus'),
      t('shell.newApp'),
    ),
    h(
      'a',
      { class: 'menu-item', href: '/', on: { click: () => close(false) } },
      icon('apps'),
      t('shell.portfolio'),
    ),
  );
}

/** The first letter of an app's name as its mark. */
export function appMark(app) {
  return h('span', { class: 'app-mark', aria: { hidden: 'true' } }, [...(app?.name ?? '?')][0]);
}
