import { h } from '../core/dom.js';

/** A titled card that can be linked to by its id. */
export function section({ id, title, hint = null, actions = null, className = null }, ...body) {
  return h(
    'section',
    { class: ['card', className], id, aria: { labelledby: `${id}-title` } },
    h('div', { class: 'card-head' }, h('h2', { id: `${id}-title` }, title), actions),
    hint ? h('p', { class: 'card-hint small soft' }, hint) : null,
    body,
  );
}
