import { fill, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { appPath, appSections, organisationSections } from '../core/routes.js';
import { apps, facts } from '../core/session.js';
import { recall, remember } from '../core/storage.js';
import { appSwitcher } from './appSwitcher.js';
import { icon, vector } from './icon.js';
import { openShortcuts } from './shortcuts.js';

/** Makes the sidebar: {element, update(route, appId), focus}. */
export function makeSidebar() {
  const body = h('div', { class: 'stack' });
  const element = h(
    'nav',
    { class: 'sidebar', id: 'sidebar', aria: { label: t('common.menu') } },
    h('a', { class: 'brand', href: '/' }, brandMark(), 'Foreground'),
    body,
    h(
      'div',
      { class: 'sidebar-foot' },
      h(
        'button',
        { type: 'button', class: 'nav-link menu-item', on: { click: openShortcuts } },
        icon('keyboard'),
        t('shell.shortcuts'),
        h('span', { class: 'keys end' }, h('kbd', {}, '?')),
      ),
      h('span', { class: 'version' }, t('shell.version', { version: facts().version ?? '' })),
    ),
  );
  let shown = { route: null, appId: null };
  document.addEventListener('foreground:apps', () => {
    if (element.isConnected) draw();
  });

  async function draw() {
    const { route, appId } = shown;
    const known = await apps().catch(() => []);
    if (shown.route !== route || shown.appId !== appId) return;
    // Pages of the organisation keep the app that was looked at last in reach.
    const app =
      known.find((one) => one.id === (appId ?? recall('app'))) ??
      known.find((one) => one.status === 'active') ??
      null;
    fill(
      body,
      known.length ? appSwitcher(known, app, route) : null,
      app
        ? h(
            'div',
            { class: 'nav-group' },
            appSections.map((section) =>
              link({
                href: appPath(app.id, section.name),
                name: section.name,
                iconName: section.name,
                keys: section.keys,
                isCurrent: appId === app.id && route?.section === section.name,
              }),
            ),
          )
        : null,
      h(
        'div',
        { class: 'nav-group' },
        h('span', { class: 'nav-title' }, t('shell.organisation')),
        organisationSections.map((section) =>
          link({
            href: section.path,
            name: section.name,
            iconName: section.icon,
            keys: section.keys,
            isCurrent: route?.section === section.name,
          }),
        ),
      ),
    );
  }

  return {
    element,
    update(route, appId) {
      if (appId) remember('app', appId);
      shown = { route, appId };
      draw();
    },
    focus: () => (element.querySelector('[aria-current]') ?? element.querySelector('a')).focus(),
  };
}

function link({ href, name, iconName, keys, isCurrent }) {
  return h(
    'a',
    { class: 'nav-link', href, aria: { current: isCurrent ? 'page' : null } },
    icon(iconName),
    h('span', { class: 'ellipsis' }, t(`shell.${name}`)),
    keys
      ? h('span', { class: 'keys', aria: { hidden: 'true' } }, h('kbd', {}, 'g'), h('kbd', {}, keys))
      : null,
  );
}

/** The mark of the product. */
export function brandMark() {
  return h(
    'span',
    { class: 'brand-mark', aria: { hidden: 'true' } },
    vector(
      'svg',
      {
        viewBox: '0 0 16 16',
        width: 14,
        height: 14,
        fill: 'none',
        stroke: 'currentColor',
        'stroke-width': 2.4,
        'stroke-linecap': 'round',
        'stroke-linejoin': 'round',
      },
      vector('path', { d: 'M4 13V3h8.500M4 8.200h5.500' }),
    ),
  );
}
