import { get } from './api.js';
import { clear, h } from './dom.js';
import { loadWords, t } from './i18n.js';
import { match, navigate } from './router.js';
import { appPath } from './routes.js';
import { apps, session } from './session.js';
import { emptyState, errorState } from '../parts/states.js';

let mounted = null;
let visit = 0;
let isOpening = true;

/** The view on screen: {page, ctx, route}; null before the first. */
export function view() {
  return mounted;
}

/** Mounts the current page anew, such as after a change of language. */
export function remount(shell) {
  end();
  return show({ url: new URL(window.location.href), keepScroll: true }, shell);
}

/**
 * Shows the page of an address in the shell.
 *
 * A page that is already there and can `update(ctx)` keeps its elements; others are mounted anew.
 */
export async function show({ url, keepScroll = false, isBack = false }, shell) {
  visit += 1;
  const own = visit;
  const found = match(url.pathname);
  if (found?.route.redirect) {
    navigate(appPath(found.params.app, found.route.redirect), { replace: true });
    return;
  }
  if (!session() && !found?.route.isPublic) {
    const next = url.pathname + url.search;
    navigate(next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`, { replace: true });
    return;
  }
  const place = found ? `${found.page} ${JSON.stringify(found.params)}` : url.pathname;
  if (mounted?.place === place && mounted.instance?.update) {
    mounted.ctx = contextOf(found, url, mounted.ctx.app, mounted.controller.signal);
    shell.show(found.route, mounted.ctx, mounted.page);
    mounted.instance.update(mounted.ctx);
    return;
  }
  const isSamePlace = mounted?.place === place;
  const focusedId = isSamePlace ? document.activeElement?.id : null;
  end();
  const controller = new AbortController();
  const next = { place, controller, page: null, instance: null, ctx: null };
  mounted = next;
  if (!isSamePlace) shell.loading(found?.route, found?.params.app);
  try {
    const [module, app] = await Promise.all([
      found ? import(`../pages/${found.page}.js`) : null,
      appOf(found),
      found ? loadWords(...found.route.words) : null,
    ]);
    if (own !== visit) return;
    next.page = module?.page ?? { title: () => t('common.notFoundTitle'), mount: mountMissing };
    if (app === undefined) next.page = { title: () => t('common.appMissingTitle'), mount: mountMissingApp };
    next.ctx = contextOf(found, url, app ?? null, controller.signal);
    const root = shell.show(found?.route ?? null, next.ctx, next.page);
    // Where the document itself has just been opened, the browser begins at its top, with the link that skips to the content.
    if (!isSamePlace) shell.announce(next.page.title(next.ctx), { movesFocus: !isBack && !isOpening });
    isOpening = false;
    if (!isSamePlace && !keepScroll && !isBack) window.scrollTo(0, 0);
    const made = await next.page.mount(clear(root), next.ctx);
    next.instance = typeof made === 'function' ? { dispose: made } : (made ?? null);
    if (mounted !== next) next.instance?.dispose?.();
    else if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
  } catch (error) {
    if (own !== visit || error.name === 'AbortError') return;
    console.error(error);
    shell.fail(errorState(error, () => remount(shell)));
  } finally {
    if (own === visit) shell.ready();
  }
}

function end() {
  mounted?.controller.abort();
  mounted?.instance?.dispose?.();
  mounted = null;
}

/** The app of a route: null where it has none, undefined where there is no such app. */
async function appOf(found) {
  if (!found?.params.app || !session()) return null;
  const known = (await apps()).find((app) => app.id === found.params.app);
  if (known) return known;
  try {
    return await get(`/v1/apps/${encodeURIComponent(found.params.app)}`);
  } catch (error) {
    if (error.status === 404 || error.status === 400) return undefined;
    throw error;
  }
}

function contextOf(found, url, app, signal) {
  const query = url.searchParams;
  const environment = query.get('environment') === 'development' ? 'development' : 'production';
  return {
    app,
    params: found?.params ?? {},
    route: found?.route ?? null,
    query,
    environment,
    signal,
    url,
    setQuery,
    refresh: () => document.dispatchEvent(new CustomEvent('foreground:remount')),
  };
}

/**
 * Changes parts of the query of the address on screen; null or an empty list removes, lists repeat the name.
 */
export function setQuery(changes, { replace = false } = {}) {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    url.searchParams.delete(name);
    for (const one of [value].flat())
      if (one !== null && one !== undefined) url.searchParams.append(name, one);
  }
  if (url.href !== window.location.href) navigate(url, { replace, keepScroll: true });
}

function mountMissing(root) {
  root.append(
    emptyState({
      title: t('common.notFoundTitle'),
      text: t('common.notFoundText'),
      iconName: 'search',
      actions: h('a', { class: 'button', href: '/' }, t('common.toPortfolio')),
    }),
  );
}

function mountMissingApp(root) {
  root.append(
    emptyState({
      title: t('common.appMissingTitle'),
      text: t('common.appMissingText'),
      iconName: 'search',
      actions: h('a', { class: 'button', href: '/' }, t('common.toPortfolio')),
    }),
  );
}
