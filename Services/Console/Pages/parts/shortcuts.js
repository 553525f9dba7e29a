import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { navigate } from '../core/router.js';
import { appPath, appSections, organisationSections } from '../core/routes.js';
import { session } from '../core/session.js';
import { view } from '../core/view.js';
import { openDialog } from './dialog.js';
import { closePopover } from './popover.js';

let waitsForSecond = false;
let timer;

/** Starts to answer the keys of the dashboard. */
export function startShortcuts() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !session()) return;
    if (event.key === 'Escape') {
      closePopover();
      return;
    }
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const action = actionOf(event);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.closest('[role="menu"]') !== null)
  );
}

function actionOf(event) {
  if (waitsForSecond) {
    waitsForSecond = false;
    clearTimeout(timer);
    return jumpOf(letter(event));
  }
  switch (letter(event)) {
    case 'g':
      return () => {
        waitsForSecond = true;
        timer = setTimeout(() => {
          waitsForSecond = false;
        }, 1500);
      };
    case '/':
      return focusSearch;
    case '?':
      return openShortcuts;
    case 'c':
      return copyRequest;
    default:
      return null;
  }
}

/** The letter on the key in Latin, as other layouts have others there. */
function letter(event) {
  if (event.key.length === 1 && event.key > '~' && /^Key[A-Z]$/.test(event.code))
    return event.code.slice(3).toLowerCase();
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

function jumpOf(key) {
  const organisation = organisationSections.find((one) => one.keys === key);
  if (organisation) return () => navigate(organisation.path);
  const section = appSections.find((one) => one.keys === key);
  const link = section ? document.querySelector(`.sidebar a[href*="/${section.name}"]`) : null;
  const app = view()?.ctx?.app;
  if (section && app) return () => navigate(appPath(app.id, section.name));
  return link ? () => navigate(link.href) : null;
}

function focusSearch() {
  const field = document.querySelector('main input[type="search"]');
  if (field) field.focus();
  else document.getElementById('app-switch')?.click();
}

/**
 * Copies the request of the report that has the focus or is under the pointer, or else the first of the page.
 */
function copyRequest() {
  const near =
    document.activeElement?.closest('section')?.querySelector('[data-copy-request]') ??
    document.querySelector('section:hover [data-copy-request]') ??
    document.querySelector('main [data-copy-request]');
  near?.click();
}

/** Opens the sheet of all keys. */
export function openShortcuts() {
  const row = (keys, text) =>
    h(
      'div',
      { class: 'shortcut' },
      h('dt', {}, text),
      h(
        'dd',
        { class: 'keys' },
        keys.map((key) => h('kbd', {}, key)),
      ),
    );
  openDialog({
    title: t('keys.title'),
    body: h(
      'div',
      { class: 'shortcut-groups' },
      h(
        'div',
        {},
        h('h3', {}, t('keys.go')),
        h(
          'dl',
          {},
          row(['g', 'h'], t('shell.portfolio')),
          appSections.map((section) => row(['g', section.keys], t(`shell.${section.name}`))),
        ),
      ),
      h(
        'div',
        {},
        h('h3', {}, t('keys.here')),
        h(
          'dl',
          {},
          row(['/'], t('keys.search')),
          row(['c'], t('keys.copy')),
          row(['Esc'], t('keys.close')),
          row(['?'], t('keys.sheet')),
        ),
      ),
    ),
  });
}
