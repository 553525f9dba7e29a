import { h } from '../core/dom.js';
import { copyButton } from './copyButton.js';
import { icon } from './icon.js';

/** Shows a secret that will not be shown again, selected by a click and copied by a button. */
export function secretOnce({ label, value, text }) {
  const field = h('input', {
    class: 'input mono',
    type: 'text',
    readonly: true,
    value,
    spellcheck: 'false',
    aria: { label },
    on: { focus: (event) => event.target.select() },
  });
  return h(
    'div',
    { class: 'stack tight' },
    h('div', { class: 'banner info' }, icon('info'), h('span', { class: 'grow' }, text)),
    h('div', { class: 'secret-once' }, field, copyButton(value, { small: false })),
  );
}
