import { h } from '../core/dom.js';
import { delta as formatDelta } from '../core/format.js';
import { icon } from './icon.js';

/** A change in percent with its direction; grey where there is none. `isNeutral` leaves it without good or bad. */
export function delta(percent, { title = null, isNeutral = false } = {}) {
  const isKnown = percent !== null && percent !== undefined;
  const direction = !isKnown || percent === 0 ? null : percent > 0 ? 'up' : 'down';
  return h('span', { class: ['delta', !isNeutral && direction], title },
    direction ? icon(direction === 'up' ? 'arrowUp' : 'arrowDown', { size: 11 }) : null, formatDelta(percent ?? null));
}
