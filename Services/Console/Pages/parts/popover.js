import { append, h, uniqueId } from '../core/dom.js';

let openOne = null;

/** Closes the popover that is open; whether there was one. */
export function closePopover() {
  if (!openOne) return false;
  openOne.close(true);
  return true;
}

/**
 * Makes a button that shows and hides a small surface below it: {element, button, open, close}.
 *
 * `content(close)` makes what is inside each time. Escape and a click elsewhere close it; `role` is what the
 * surface is to screen readers.
 */
export function popover({
  button,
  content,
  align = 'start',
  role = 'dialog',
  label,
  onOpen,
  className = '',
}) {
  const id = uniqueId('popover');
  let surface = null;
  const element = h('div', { class: 'popover-anchor' }, button);
  button.setAttribute('aria-haspopup', role);
  button.setAttribute('aria-expanded', 'false');
  const self = {
    element,
    button,
    open,
    close,
    get isOpen() {
      return surface !== null;
    },
  };

  function open() {
    if (surface) return;
    openOne?.close(false);
    openOne = self;
    surface = h('div', {
      class: ['popover', align === 'end' && 'align-end', className],
      id,
      role,
      aria: { label },
    });
    append(surface, content(close));
    element.append(surface);
    button.setAttribute('aria-expanded', 'true');
    button.setAttribute('aria-controls', id);
    keepInView();
    document.addEventListener('pointerdown', outside, true);
    element.addEventListener('keydown', closeOnEscape);
    (
      surface.querySelector('[data-focus], [autofocus]') ??
      surface.querySelector('[aria-checked="true"], input, button, a')
    )?.focus({ preventScroll: true });
    onOpen?.(surface);
  }

  function close(givesFocusBack = true) {
    if (!surface) return;
    surface.remove();
    surface = null;
    openOne = null;
    button.setAttribute('aria-expanded', 'false');
    button.removeAttribute('aria-controls');
    document.removeEventListener('pointerdown', outside, true);
    element.removeEventListener('keydown', closeOnEscape);
    if (givesFocusBack) button.focus({ preventScroll: true });
  }

  function keepInView() {
    const box = surface.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    if (box.right > room - 8)
      surface.style.setProperty('translate', `${Math.round(room - 8 - box.right)}px 0`);
    if (box.left < 8) surface.style.setProperty('translate', `${Math.round(8 - box.left)}px 0`);
  }

  function outside(event) {
    if (!element.contains(event.target)) close(false);
  }

  function closeOnEscape(event) {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close(true);
  }

  button.addEventListener('click', () => (surface ? close(true) : open()));
  return self;
}
