import { h } from '../core/dom.js';
import { delta as formatDelta } from '../core/format.js';
import { icon } from './icon.js';

/**
 * A change in percent with its direction; grey where there is none. `isNeutral` leaves it without good or
 * bad.
 */
export function delta(percent, { title = null, isNeutral = false } = {}) {
  const isKnown = percent !== null && percent !== undefined;
  // What is written as 0.0 % has no direction either.
  const direction = !isKnown || Math.abs(percent) < 0.05 ? null : percent > 0 ? 'up' : 'down';
  return h(
    'span',
    { class: ['delta', !isNeutral && direction], title },
    direction ? icon(direction === 'up' ? 'arrowUp' : 'arrowDown', { size: 11 }) : null,
    formatDelta(percent ?? null),
  );
}
