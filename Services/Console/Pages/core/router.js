const listeners = new Set();
let routes = [];

/** Sets the routes: {path: '/apps/:app/audience', page, words, …}. */
export function setRoutes(table) {
  routes = table.map((route) => ({ ...route, parts: route.path.split('/').slice(1) }));
}

/** Finds the route of a path: {page, params, route}; null when there is none. */
export function match(path) {
  const parts = path.replace(/\/+$/, '').split('/').slice(1);
  if (parts.length === 0) parts.push('');
  for (const route of routes) {
    const params = paramsOf(route.parts, parts);
    if (params) return { page: route.page, params, route };
  }
  return null;
}

function paramsOf(pattern, parts) {
  if (pattern.length !== parts.length) return null;
  const params = {};
  for (const [index, part] of pattern.entries()) {
    if (part.startsWith(':')) {
      try {
        params[part.slice(1)] = decodeURIComponent(parts[index]);
      } catch {
        return null;
      }
      if (!parts[index]) return null;
    } else if (part !== parts[index]) return null;
  }
  return params;
}

/** The address on screen. */
export function current() {
  return new URL(window.location.href);
}

/** Hears of every change of the address: ({url, replaced, isBack}). */
export function onNavigate(listener) {
  listeners.add(listener);
}

/** Goes to an address of this console. */
export function navigate(url, { replace = false, keepScroll = false } = {}) {
  const target = new URL(url, window.location.href);
  if (target.origin !== window.location.origin) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', target);
  announce({ url: target, keepScroll: keepScroll || replace });
}

function announce(change) {
  for (const listener of listeners) listener(change);
}

/** Starts to answer clicks on links of this console, and the browser's back and forward. */
export function startRouter() {
  window.addEventListener('popstate', () => announce({ url: current(), keepScroll: false, isBack: true }));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.('a[href]');
    if (!link || link.target || link.hasAttribute('download')) return;
    const url = new URL(link.href, window.location.href);
    if (url.origin !== window.location.origin || /^\/(v1|console|assets)\//.test(url.pathname)) return;
    // A jump inside the page is the browser's.
    if (url.hash && url.pathname === window.location.pathname && url.search === window.location.search)
      return;
    event.preventDefault();
    navigate(url);
  });
}
