import { h } from '../core/dom.js';
import { icon } from './icon.js';
import { popover } from './popover.js';

/**
 * Makes a button with a menu below it; its element.
 *
 * Items are {label, icon, href | on, checked, danger}, {title} or {separator: true}. Arrow keys, Home, End
 * and first letters move.
 */
export function menu({ button, items, align = 'end', label }) {
  const made = popover({
    button,
    align,
    role: 'menu',
    label,
    content: (close) =>
      h(
        'div',
        { class: 'menu-list', role: 'none', on: { keydown: move } },
        (typeof items === 'function' ? items() : items).map((item) => row(item, close)),
      ),
  });
  button.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' && !made.isOpen) {
      event.preventDefault();
      made.open();
    }
  });
  return made.element;
}

function row(item, close) {
  if (item.separator) return h('div', { class: 'menu-separator', role: 'separator' });
  if (item.title) return h('div', { class: 'menu-title', role: 'presentation' }, item.title);
  const isChoice = item.checked !== undefined;
  const props = {
    class: ['menu-item', item.danger && 'danger'],
    role: isChoice ? 'menuitemradio' : 'menuitem',
    tabindex: '-1',
    aria: { checked: isChoice ? item.checked : null },
    on: {
      click: () => {
        close(!item.href);
        item.on?.();
      },
    },
  };
  const inside = [
    isChoice
      ? h('span', { class: 'mark' }, item.checked ? icon('check') : null)
      : item.icon
        ? icon(item.icon)
        : null,
    h('span', { class: 'ellipsis' }, item.label),
  ];
  return item.href
    ? h('a', { ...props, href: item.href }, inside)
    : h('button', { ...props, type: 'button' }, inside);
}

/** Moves focus among the items of a list by keys. */
export function move(event) {
  const items = [...event.currentTarget.querySelectorAll('.menu-item:not([disabled])')];
  const at = items.indexOf(document.activeElement);
  let next = null;
  if (event.key === 'ArrowDown') next = items[(at + 1) % items.length];
  else if (event.key === 'ArrowUp') next = items[(at - 1 + items.length) % items.length];
  else if (event.key === 'Home') next = items[0];
  else if (event.key === 'End') next = items.at(-1);
  else if (event.key.length === 1 && /\p{L}/u.test(event.key)) {
    const letter = event.key.toLowerCase();
    const after = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    next = after.find((item) => item.textContent.trim().toLowerCase().startsWith(letter));
  }
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}
