import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { icon } from './icon.js';
import { toast } from './toast.js';

/** Puts text on the clipboard, also where the page is not served over HTTPS; whether it worked. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * The clipboard's interface is for secure pages only; plain HTTP on a local network is common for
 * self-hosting.
 */
function copyBySelection(text) {
  const area = h('textarea', { class: 'visually-hidden', value: text, readonly: true, tabindex: '-1' });
  const before = document.activeElement;
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  let worked = false;
  try {
    worked = document.execCommand('copy');
  } catch {
    worked = false;
  }
  area.remove();
  before?.focus?.({ preventScroll: true });
  return worked;
}

/** A button that copies a text, given or made when pressed. */
export function copyButton(
  text,
  {
    label = t('common.copy'),
    message = t('common.copied'),
    small = true,
    iconOnly = false,
    quiet = false,
  } = {},
) {
  return h(
    'button',
    {
      type: 'button',
      class: ['button', small && 'small', iconOnly && 'icon-only', quiet && 'quiet'],
      title: iconOnly ? label : null,
      aria: { label: iconOnly ? label : null },
      on: {
        async click() {
          const worked = await copyText(typeof text === 'function' ? text() : text);
          toast(worked ? message : t('common.copyFailed'));
        },
      },
    },
    icon('copy'),
    iconOnly ? null : label,
  );
}
