import { recall, remember } from './storage.js';

/** The languages of the console, by code, each named in itself. */
export const languages = { en: 'English', ru: 'Русский' };

let chosen = initial();
let plural = new Intl.PluralRules(chosen);
const words = {};
const loaded = new Map();

function initial() {
  const remembered = recall('language');
  if (remembered in languages) return remembered;
  for (const wanted of navigator.languages ?? []) {
    const code = wanted.slice(0, 2).toLowerCase();
    if (code in languages) return code;
  }
  return 'en';
}

/** The code of the language on screen. */
export function language() {
  return chosen;
}

/**
 * The viewer's locale: of the language on screen, with the region the browser names, so that separators are
 * theirs.
 */
export function locale() {
  const own = (navigator.languages ?? []).find((one) => one.toLowerCase().startsWith(chosen));
  return own ?? (chosen === 'en' ? 'en-GB' : chosen);
}

/** Chooses and remembers a language and loads the words that are in use. */
export async function setLanguage(code) {
  if (!(code in languages)) return;
  chosen = code;
  plural = new Intl.PluralRules(code);
  remember('language', code);
  document.documentElement.lang = code;
  const names = [...loaded.keys()];
  loaded.clear();
  await loadWords(...names);
}

/** Loads files of words; each export of a file is a group of keys. */
export async function loadWords(...names) {
  await Promise.all(
    names.map((name) => {
      if (!loaded.has(name)) {
        const loading = import(`../words/${chosen}/${name}.js`).then((module) => {
          Object.assign(words, module);
        });
        loading.catch(() => loaded.delete(name));
        loaded.set(name, loading);
      }
      return loaded.get(name);
    }),
  );
}

/**
 * Says a text.
 *
 * `{name}` in it is replaced by `vars.name`. Plural forms are an object `{one, few, many, other}`, chosen by
 * `vars.count`.
 */
export function t(key, vars = {}) {
  let text = key.split('.').reduce((group, part) => group?.[part], words);
  if (text && typeof text === 'object') text = text[plural.select(Number(vars.count))] ?? text.other;
  if (typeof text !== 'string') return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = vars[name];
    if (value === undefined || value === null) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(locale()).format(value) : String(value);
  });
}

/** Whether there is a text for a key. */
export function has(key) {
  return key.split('.').reduce((group, part) => group?.[part], words) !== undefined;
}
