const prefix = 'foreground.';

/** Reads a small remembered choice; `fallback` when there is none or storage is forbidden. */
export function recall(name, fallback = null) {
  try {
    return localStorage.getItem(prefix + name) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Remembers a small choice; null forgets it. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // Storage may be full or forbidden; the choice then lasts as long as the page.
  }
}
