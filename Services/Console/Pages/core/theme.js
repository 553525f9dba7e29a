import { recall, remember } from './storage.js';

/** The chosen theme: 'system', 'light' or 'dark'. */
export function theme() {
  return recall('theme', 'system');
}

/** Chooses and remembers a theme; what is drawn by script hears 'foreground:theme' on the document. */
export function setTheme(name) {
  remember('theme', name === 'system' ? null : name);
  if (name === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  announce();
}

/** Follows the system's changes between light and dark. */
export function watchTheme() {
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', announce);
}

function announce() {
  document.dispatchEvent(new CustomEvent('foreground:theme'));
}

/** The value of a custom property, such as a colour. */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
