import { h } from '../core/dom.js';

/** A row of tabs, one chosen; `choose(value)` hears a click or arrow keys. Items are {value, label}. */
export function tabs({ items, value, label, choose, panelId = null, idPrefix = 'tab' }) {
  const buttons = items.map((item) =>
    h(
      'button',
      {
        type: 'button',
        class: 'tab',
        role: 'tab',
        id: `${idPrefix}-${item.value}`,
        tabindex: item.value === value ? '0' : '-1',
        aria: { selected: item.value === value, controls: panelId },
        on: { click: () => choose(item.value) },
      },
      item.label,
    ),
  );
  return h(
    'div',
    { class: 'tabs', role: 'tablist', aria: { label }, on: { keydown: (event) => step(event, buttons) } },
    buttons,
  );
}

/** A small group of buttons of which one is pressed. Items are {value, label, disabled, title}. */
export function segments({ items, value, label, choose, idPrefix = null }) {
  const buttons = items.map((item) =>
    h(
      'button',
      {
        type: 'button',
        class: 'segment',
        role: 'radio',
        disabled: item.disabled,
        title: item.title,
        id: idPrefix ? `${idPrefix}-${item.value}` : null,
        tabindex: item.value === value ? '0' : '-1',
        aria: { checked: item.value === value },
        on: { click: () => choose(item.value) },
      },
      item.label,
    ),
  );
  return h(
    'div',
    {
      class: 'segments',
      role: 'radiogroup',
      aria: { label },
      on: { keydown: (event) => step(event, buttons) },
    },
    buttons,
  );
}

function step(event, buttons) {
  const usable = buttons.filter((button) => !button.disabled);
  const at = usable.indexOf(document.activeElement);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: usable.length - 1 }[event.key];
  if (next === undefined || at < 0) return;
  event.preventDefault();
  const button = usable[(next + usable.length) % usable.length];
  button.focus();
  button.click();
}
