import { h, uniqueId } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { icon } from './icon.js';

/**
 * Opens a modal dialog: {element, close}.
 *
 * `body` is nodes or a function of `close`. `actions` are buttons for the foot, or a function of `close`. The
 * browser keeps focus inside and gives it back to where it was; `onClose` hears what `close(value)` was
 * given.
 */
export function openDialog({ title, body, actions, wide = false, onClose, canDismiss = true }) {
  const titleId = uniqueId('dialog');
  const opener = document.activeElement;
  let result;
  const close = (value) => {
    result = value;
    element.close();
  };
  const make = (part) => (typeof part === 'function' ? part(close) : part);
  const element = h(
    'dialog',
    { class: ['dialog', wide && 'wide'], aria: { labelledby: titleId } },
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', { id: titleId }, title),
      canDismiss
        ? h(
            'button',
            {
              type: 'button',
              class: 'button quiet icon-only',
              aria: { label: t('common.close') },
              on: { click: () => close() },
            },
            icon('close'),
          )
        : null,
    ),
    h('div', { class: 'dialog-body' }, make(body)),
    actions ? h('div', { class: 'dialog-foot' }, make(actions)) : null,
  );
  element.addEventListener('cancel', (event) => {
    if (!canDismiss) event.preventDefault();
  });
  element.addEventListener('click', (event) => {
    if (event.target === element && canDismiss) close();
  });
  element.addEventListener('close', () => {
    element.remove();
    opener?.focus?.({ preventScroll: true });
    onClose?.(result);
  });
  document.body.append(element);
  element.showModal();
  element.querySelector('[data-focus], [autofocus], .dialog-body input, .dialog-body select')?.focus();
  return { element, close };
}

/**
 * Asks before something that cannot be undone; resolves to whether it was confirmed.
 *
 * With `typed`, the button works only once that text has been typed. `run` is awaited while the dialog stays
 * open; what it throws is shown by `explain(error)` in the dialog, which then stays.
 */
export function confirmDialog({
  title,
  text,
  typed = null,
  confirm,
  danger = true,
  run = null,
  explain = (error) => error.message,
}) {
  return new Promise((resolve) => {
    const input =
      typed === null
        ? null
        : h('input', {
            class: 'input',
            id: uniqueId('typed'),
            type: 'text',
            autocomplete: 'off',
            spellcheck: 'false',
            data: { focus: '' },
          });
    const problem = h('p', { class: 'field-error', role: 'alert', hidden: true });
    const button = h(
      'button',
      { type: 'submit', class: ['button', danger ? 'danger solid' : 'primary'], disabled: typed !== null },
      confirm,
    );
    input?.addEventListener('input', () => {
      button.disabled = input.value !== typed;
    });
    const formId = uniqueId('form');
    button.setAttribute('form', formId);
    const dialog = openDialog({
      title,
      body: h(
        'form',
        {
          id: formId,
          class: 'stack',
          on: {
            submit: async (event) => {
              event.preventDefault();
              await submit();
            },
          },
        },
        [text].flat().map((part) => (part instanceof Node ? part : h('p', { class: 'soft' }, part))),
        input
          ? h(
              'div',
              { class: 'field' },
              h('label', { class: 'field-label', for: input.id }, t('common.confirmType', { text: typed })),
              input,
            )
          : null,
        problem,
      ),
      actions: (close) => [
        h(
          'button',
          { type: 'button', class: 'button', on: { click: () => close(false) } },
          t('common.cancel'),
        ),
        button,
      ],
      onClose: (value) => resolve(value === true),
    });
    async function submit() {
      if (button.disabled) return;
      if (!run) return dialog.close(true);
      button.disabled = true;
      button.setAttribute('aria-busy', 'true');
      try {
        await run();
        dialog.close(true);
      } catch (error) {
        problem.textContent = explain(error);
        problem.hidden = false;
        button.disabled = false;
        button.removeAttribute('aria-busy');
      }
    }
  });
}
