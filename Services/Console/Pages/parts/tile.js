import { h } from '../core/dom.js';
import { delta } from './delta.js';

/**
 * A figure with its name, its change and what it was before.
 *
 * Without `change` there is no comparison; null is one with nothing to compare with. With `choose` the tile
 * is a button, pressed when `isChosen`.
 */
export function tile({
  label,
  value,
  hint = null,
  change,
  before = null,
  isNeutral = false,
  choose = null,
  chooseLabel = null,
  isChosen = false,
  id = null,
}) {
  const inside = [
    h('span', { class: 'tile-label', title: hint }, label),
    h('span', { class: 'tile-value number' }, value),
    change === undefined
      ? null
      : h(
          'span',
          { class: 'tile-change' },
          delta(change, { isNeutral }),
          before ? h('span', { class: 'muted number tile-before' }, before) : null,
        ),
  ];
  if (!choose) return h('div', { class: 'tile', role: 'listitem', id }, inside);
  return h(
    'div',
    { class: 'tile-holder', role: 'listitem' },
    h(
      'button',
      {
        type: 'button',
        class: 'tile',
        id,
        title: chooseLabel,
        aria: { pressed: isChosen },
        on: { click: choose },
      },
      inside,
    ),
  );
}
