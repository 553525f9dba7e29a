import { h, uniqueId } from '../core/dom.js';

/**
 * Makes a labelled text field: {element, input, fail(text), clear()}.
 *
 * `fail` shows a problem under the field and tells screen readers.
 */
export function field({ label, hint = null, type = 'text', name, value = '', ...attributes }) {
  const id = uniqueId(name ?? 'field');
  const problem = h('p', { class: 'field-error', id: `${id}-problem`, role: 'alert', hidden: true });
  const described = [hint ? `${id}-hint` : null, `${id}-problem`].filter(Boolean).join(' ');
  const input = h('input', {
    class: 'input',
    id,
    type,
    name,
    value,
    aria: { describedby: described },
    ...attributes,
  });
  input.addEventListener('input', clear);

  function clear() {
    problem.hidden = true;
    input.removeAttribute('aria-invalid');
  }

  function fail(text) {
    problem.textContent = text;
    problem.hidden = false;
    input.setAttribute('aria-invalid', 'true');
    input.focus();
  }

  return {
    input,
    fail,
    clear,
    element: h(
      'div',
      { class: 'field' },
      h('label', { class: 'field-label', for: id }, label),
      input,
      hint ? h('p', { class: 'field-hint', id: `${id}-hint` }, hint) : null,
      problem,
    ),
  };
}
