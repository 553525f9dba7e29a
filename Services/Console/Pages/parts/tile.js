import { h } from '../core/dom.js';
import { delta } from './delta.js';

/** A figure with its name, its change and what it was before. */
export function tile({ label, value, hint = null, change, before = null, isNeutral = false }) {
  return h('div', { class: 'tile' },
    h('dt', { class: 'tile-label', title: hint }, label),
    h('dd', { class: 'tile-value number' }, value),
    change === undefined ? null : h('dd', { class: 'tile-change' }, delta(change, { isNeutral }), before ? h('span', { class: 'muted' }, before) : null));
}
