import { h } from '../core/dom.js';
import { relative } from '../core/format.js';
import { t } from '../core/i18n.js';
import { explain } from './states.js';

const names = {
  live: 'live.live',
  paused: 'live.paused',
  hidden: 'live.pausedHidden',
  stale: 'live.stale',
  connecting: 'live.connecting',
};

/**
 * Tells whether what is on screen is of this moment: {element, show}.
 *
 * `show` takes the states of `poll`. Screen readers hear when the state changes, not every second of it; the age ticks until `signal` ends.
 */
export function liveBadge({ signal, retry }) {
  const name = h('span', { role: 'status' }, t('live.connecting'));
  const age = h('span', { class: 'live-age' });
  const again = h(
    'button',
    { type: 'button', class: 'button small quiet', hidden: true, on: { click: retry } },
    t('live.retry'),
  );
  const element = h(
    'div',
    { class: 'live-badge', data: { state: 'connecting' } },
    h('span', { class: 'live-dot', aria: { hidden: 'true' } }),
    name,
    age,
    again,
  );
  let state = { kind: 'connecting', at: null, error: null };

  function show(next) {
    state = next;
    element.dataset.state = state.kind;
    const text = t(names[state.kind]);
    if (name.textContent !== text) name.textContent = text;
    again.hidden = state.kind !== 'stale';
    tick();
  }

  function tick() {
    const isStale = state.kind === 'stale';
    const parts = [
      state.at ? t('live.updated', { ago: relative(state.at.toISOString(), new Date()) }) : null,
      isStale ? explain(state.error) : null,
    ];
    age.textContent = parts.filter(Boolean).join(' · ');
  }

  const timer = setInterval(tick, 1000);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return { element, show };
}
