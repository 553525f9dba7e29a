import { h } from '../core/dom.js';

let region = null;

/** Shows a short message for some seconds; screen readers hear it. */
export function toast(text, { milliseconds = 3500 } = {}) {
  if (!region?.isConnected) {
    region = h('div', { class: 'toasts', role: 'status', aria: { live: 'polite' } });
    document.body.append(region);
  }
  // Inside a modal dialog everything else is inert, so the message goes there.
  const dialog = document.querySelector('dialog[open]');
  const home = dialog ?? document.body;
  if (region.parentNode !== home) home.append(region);
  const message = h('div', { class: 'toast' }, text);
  region.append(message);
  setTimeout(() => message.remove(), milliseconds);
}
