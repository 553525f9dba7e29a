import { address, get } from '../core/api.js';
import { fill, h, uniqueId } from '../core/dom.js';
import { copyRequestButton, csvLink } from './copyRequest.js';
import { errorState, freshness, skeleton, staleBanner } from './states.js';

/** Figures older than this are asked for again when the viewer comes back to the window. */
const freshMs = 60_000;

/** Longer pauses than this are left to the viewer. */
const retrySecondsMax = 60;

/**
 * Makes a card that asks the Read API for one report and shows it: {element, load(request), again(), tools,
 * extras, setTitle}.
 *
 * A request is {path, params, zone}. `render(body, data, request)` draws; it may give back {note,
 * dataThrough} for the foot. Until the first answer there is a skeleton. Figures stay while newer ones of the
 * same request are on their way, marked stale when these fail; figures of another request never stay under
 * the new choices. With `hasCopyLabel` the button that copies the request is named in full.
 */
export function report({
  title,
  render,
  height = 220,
  signal,
  hasCsv = true,
  hasCopyLabel = false,
  isFlush = false,
  className = '',
}) {
  const headingId = uniqueId('report');
  const heading = h('h2', { id: headingId }, title);
  const tools = h('div', { class: 'row wrap report-tools' });
  const extras = h('div', { class: 'row report-extras' });
  const csv = hasCsv ? csvLink() : null;
  const body = h('div', { class: ['card-body', isFlush && 'flush'] });
  const foot = h('div', { class: 'card-foot', hidden: true });
  let wanted = null;
  let shown = null;
  let data = null;
  let loadedAt = 0;
  let controller = null;
  let hasFailed = false;
  let dataThrough = null;
  const freshBox = h('span');
  let timer;
  const element = h(
    'section',
    { class: ['card', 'report', className], aria: { labelledby: headingId } },
    h(
      'div',
      { class: 'card-head' },
      heading,
      tools,
      h(
        'div',
        { class: 'row report-actions' },
        extras,
        copyRequestButton(() => wanted, { hasLabel: hasCopyLabel }),
        csv?.element,
      ),
    ),
    body,
    foot,
  );

  async function load(request, { isForced = false } = {}) {
    const key = address(request.path, request.params);
    wanted = { ...request, key };
    csv?.point(request);
    if (shown?.key === key && !isForced && !controller) {
      shown = wanted;
      draw();
      return;
    }
    controller?.abort();
    controller = new AbortController();
    const own = controller;
    element.setAttribute('aria-busy', 'true');
    if (data === null) fill(body, skeleton({ height }));
    else body.classList.add('is-refreshing');
    try {
      const answer = await get(request.path, request.params, {
        signal: own.signal,
      });
      if (own !== controller) return;
      data = answer;
      shown = wanted;
      loadedAt = Date.now();
      hasFailed = false;
      draw();
    } catch (error) {
      if (own !== controller || error.name === 'AbortError') return;
      if (!(error.status >= 0)) console.error(error);
      fail(error);
      tryLater(error);
    } finally {
      if (own === controller) {
        controller = null;
        element.removeAttribute('aria-busy');
        body.classList.remove('is-refreshing');
      }
    }
  }

  function draw() {
    body.classList.remove('is-stale');
    fill(body);
    const extra = render(body, data, shown) ?? {};
    fill(foot, freshBox, extra.note ?? null);
    dataThrough = data.data_through ?? extra.dataThrough;
    tellFreshness();
    foot.hidden = false;
  }

  function tellFreshness() {
    if (shown) fill(freshBox, freshness(dataThrough, shown.zone, { namesZone: false }));
  }

  function fail(error) {
    if (data !== null && shown?.key === wanted.key) {
      body.querySelector(':scope > .banner')?.remove();
      body.classList.add('is-stale');
      body.prepend(staleBanner(error, again));
      return;
    }
    data = null;
    shown = null;
    foot.hidden = true;
    body.classList.remove('is-stale');
    fill(body, errorState(error, again));
  }

  /**
   * A server that says when to come back is believed, and so is the browser that says the network is back.
   */
  function tryLater(error) {
    hasFailed = true;
    if (error.retryAfterSeconds === null || error.retryAfterSeconds > retrySecondsMax) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (hasFailed && element.isConnected) again();
    }, Math.max(1, error.retryAfterSeconds) * 1000);
  }

  function again() {
    return wanted ? load(wanted, { isForced: true }) : undefined;
  }

  const comesBack = () => {
    if (document.visibilityState === 'visible' && wanted && !controller && Date.now() - loadedAt > freshMs)
      again();
  };
  document.addEventListener('visibilitychange', comesBack, { signal });
  window.addEventListener(
    'online',
    () => {
      if (hasFailed) again();
    },
    { signal },
  );
  const ticker = setInterval(tellFreshness, 15_000);
  signal.addEventListener('abort', () => {
    controller?.abort();
    clearTimeout(timer);
    clearInterval(ticker);
  });
  document.addEventListener(
    'foreground:theme',
    () => {
      if (data !== null && !controller) draw();
    },
    { signal },
  );
  return {
    element,
    load,
    again,
    tools,
    extras,
    setTitle: (text) => {
      heading.textContent = text;
    },
  };
}
