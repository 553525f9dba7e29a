import { clear, fill, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { session } from '../core/session.js';
import { icon } from './icon.js';
import { preferencesMenu } from './preferences.js';
import { makeSidebar } from './sidebar.js';
import { skeleton } from './states.js';
import { environmentSwitch } from './environmentSwitch.js';
import { platformSwitch } from './platformSwitch.js';

/**
 * Makes the frame around the pages and puts it into the document.
 *
 * It answers {show, loading, ready, fail, announce, rebuild}; `show` prepares the frame for a page and gives
 * the element it mounts in.
 */
export function makeShell() {
  let frame = null;
  let kind = null;
  let announcer = null;

  function build(wanted) {
    if (kind === wanted && frame) return;
    kind = wanted;
    frame = wanted === 'full' ? fullFrame() : bareFrame();
    announcer = h('div', { class: 'visually-hidden', role: 'status', aria: { live: 'polite' } });
    fill(
      document.body,
      h('a', { class: 'skip-link', href: '#main' }, t('common.skip')),
      frame.element,
      announcer,
    );
  }

  function prepare(route) {
    build(session() && !route?.isPublic ? 'full' : 'bare');
  }

  return {
    show(route, ctx, page) {
      prepare(route);
      const title = page.title(ctx);
      document.title = [title, ctx.app?.name, 'Foreground'].filter(Boolean).join(' · ');
      frame.update?.(route, ctx, title);
      return frame.main;
    },
    loading(route, appId) {
      prepare(route);
      frame.close?.();
      frame.mark?.(route, appId);
      frame.main.setAttribute('aria-busy', 'true');
      fill(frame.main, h('div', { class: 'stack' }, skeleton({ height: 84 }), skeleton({ height: 260 })));
    },
    ready() {
      frame.main.removeAttribute('aria-busy');
    },
    fail(element) {
      if (!frame) build('bare');
      fill(frame.main, element);
    },
    announce(title, { movesFocus = true } = {}) {
      announcer.textContent = t('common.loaded', { title });
      if (movesFocus) (frame.heading ?? frame.main).focus({ preventScroll: true });
    },
    rebuild() {
      frame = null;
    },
  };
}

function bareFrame() {
  const main = h('main', { id: 'main', class: 'bare-main', tabindex: '-1' });
  return {
    element: h('div', { class: 'bare' }, h('header', { class: 'bare-bar' }, preferencesMenu()), main),
    main,
  };
}

function fullFrame() {
  const main = h('main', { id: 'main', class: 'main', tabindex: '-1' });
  const heading = h('h1', { class: 'ellipsis', tabindex: '-1' });
  const badge = h('span', { class: 'badge', hidden: true }, t('common.archived'));
  const controls = h('div', { class: 'topbar-controls row' });
  const notice = h('div', { class: 'notice-bar', role: 'note', hidden: true }, t('common.archivedNotice'));
  const sidebar = makeSidebar();
  const toggle = h(
    'button',
    {
      type: 'button',
      class: 'button quiet icon-only menu-toggle',
      aria: { label: t('common.menu'), expanded: 'false', controls: 'sidebar' },
      on: { click: () => setOpen(true) },
    },
    icon('menu'),
  );
  const content = h(
    'div',
    { class: 'frame' },
    h(
      'header',
      { class: 'topbar' },
      toggle,
      h('div', { class: 'topbar-title' }, heading, badge),
      controls,
      preferencesMenu(),
    ),
    notice,
    main,
  );
  const element = h(
    'div',
    { class: 'shell' },
    sidebar.element,
    h('button', {
      type: 'button',
      class: 'backdrop',
      tabindex: '-1',
      aria: { label: t('common.close') },
      on: { click: () => setOpen(false) },
    }),
    content,
  );

  function setOpen(isOpen) {
    element.classList.toggle('is-open', isOpen);
    toggle.setAttribute('aria-expanded', String(isOpen));
    // What lies under the open drawer must not be reached by keys.
    content.inert = isOpen;
    if (isOpen) sidebar.focus();
    else if (sidebar.element.contains(document.activeElement)) toggle.focus();
  }
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && element.classList.contains('is-open')) setOpen(false);
  });
  window.matchMedia('(min-width: 901px)').addEventListener('change', () => setOpen(false));

  return {
    element,
    main,
    heading,
    close: () => setOpen(false),
    mark: (route, appId) => sidebar.update(route, appId),
    update(route, ctx, title) {
      heading.textContent = title;
      const isArchived = ctx.app?.status === 'archived';
      badge.hidden = !isArchived;
      notice.hidden = !isArchived;
      sidebar.update(route, ctx.app?.id ?? null);
      clear(controls);
      if (route?.controls?.includes('platform') && ctx.app) controls.append(platformSwitch(ctx));
      if (route?.controls?.includes('environment')) controls.append(environmentSwitch(ctx));
    },
  };
}
