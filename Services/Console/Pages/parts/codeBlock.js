import { h, uniqueId } from '../core/dom.js';
import { copyButton } from './copyButton.js';
import { highlight } from './highlight.js';

/**
 * Shows code with its file's name and a button that copies it.
 *
 * `copied` makes what is copied, where that should differ from what is shown (fresh ids), and may be left out.
 */
export function codeBlock({
  code,
  language = 'shell',
  title = null,
  copied = null,
  label,
  message,
  wrap = false,
}) {
  const titleId = uniqueId('code');
  return h(
    'figure',
    { class: 'code' },
    h(
      'figcaption',
      { class: 'code-head' },
      h('span', { class: 'code-title mono ellipsis', id: titleId }, title ?? language),
      copyButton(copied ?? code, { label, message, quiet: true }),
    ),
    h(
      'pre',
      { class: ['code-body', wrap && 'wrap'], tabindex: '0', role: 'region', aria: { labelledby: titleId } },
      h('code', {}, highlight(code, language)),
    ),
  );
}

/** A short value in one line, such as a key or an address, with a button that copies it. */
export function copyLine(value, { label, secret = false } = {}) {
  return h(
    'div',
    { class: 'copy-line' },
    h('code', { class: ['copy-line-value', secret && 'is-secret'] }, value),
    copyButton(value, { label, iconOnly: true, quiet: true }),
  );
}
