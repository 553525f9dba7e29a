import { recall, remember } from './storage.js';

const system = window.matchMedia('(prefers-color-scheme: dark)');

/** The chosen theme: 'system', 'light' or 'dark'. */
export function theme() {
  return recall('theme', 'system');
}

/** Chooses and remembers a theme; what is drawn by script hears 'foreground:theme' on the document. */
export function setTheme(name) {
  remember('theme', name === 'system' ? null : name);
  show(name);
}

/** Follows the system's changes between light and dark. */
export function watchTheme() {
  system.addEventListener('change', () => show(theme()));
}

/** Before the first paint core/early.js has done the same. */
function show(name) {
  const shown = name === 'system' ? (system.matches ? 'dark' : 'light') : name;
  document.documentElement.dataset.theme = shown;
  document.dispatchEvent(new CustomEvent('foreground:theme'));
}

/** The value of a custom property, such as a colour. */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
