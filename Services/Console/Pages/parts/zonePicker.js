import { get, serverNow } from '../core/api.js';
import { fill, h, uniqueId } from '../core/dom.js';
import { t } from '../core/i18n.js';

const shownMax = 60;
let known = null;

/** The names of all time zones that the server knows; asked for once. */
export async function zoneNames() {
  known ??= get('timezones').then((answer) => answer.items);
  try {
    return await known;
  } catch (error) {
    known = null;
    throw error;
  }
}

/** The zone of the viewer's browser. */
export function viewerZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** The distance of a zone from UTC at this moment, such as UTC+5:30. */
export function zoneOffset(zone) {
  try {
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      timeZoneName: 'shortOffset',
    }).formatToParts(serverNow());
    return parts.find((part) => part.type === 'timeZoneName').value.replace('GMT', 'UTC');
  } catch {
    return '';
  }
}

/**
 * Makes a searchable list of time zones: {element, value, focus, fail(text)}.
 *
 * It is a combobox: typing narrows the list, arrow keys and Enter choose, Escape closes. `value` is the
 * chosen zone, or null while the text is none.
 */
export function zonePicker({ label, hint = null, value, onChange = () => {} }) {
  const id = uniqueId('zone');
  const input = h('input', {
    class: 'input',
    id,
    type: 'text',
    role: 'combobox',
    autocomplete: 'off',
    spellcheck: 'false',
    value,
    aria: {
      expanded: 'false',
      controls: `${id}-list`,
      autocomplete: 'list',
      describedby: `${id}-hint ${id}-problem`,
    },
    on: {
      input: () => {
        open();
        onChange(self.value);
      },
      focus: () => input.select(),
      click: open,
      keydown: keys,
      blur: () => setTimeout(close, 150),
    },
  });
  const list = h('ul', {
    class: 'popover zone-list',
    id: `${id}-list`,
    role: 'listbox',
    aria: { label },
    hidden: true,
  });
  const problem = h('p', { class: 'field-error', id: `${id}-problem`, role: 'alert', hidden: true });
  let names = [value];
  let found = [];
  let active = -1;
  zoneNames()
    .then((all) => {
      names = all;
    })
    .catch(() => {});

  function open() {
    problem.hidden = true;
    const text = input.value.trim().toLowerCase().replaceAll(' ', '_');
    // A whole name was chosen before; then all of them are offered again.
    const wanted = names.some((name) => name.toLowerCase() === text) ? '' : text;
    found = names
      .filter((name) => name.toLowerCase().includes(wanted))
      .sort((a, b) => rank(a, wanted) - rank(b, wanted))
      .slice(0, shownMax);
    if (wanted === '' && names.includes(input.value))
      found = [input.value, ...found.filter((name) => name !== input.value)];
    active = found.length ? 0 : -1;
    draw();
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
  }

  function draw() {
    fill(
      list,
      found.length
        ? found.map((name, index) =>
            h(
              'li',
              {
                class: 'menu-item',
                id: `${id}-${index}`,
                role: 'option',
                aria: { selected: index === active },
                on: {
                  pointerdown: (event) => {
                    event.preventDefault();
                    choose(name);
                  },
                },
              },
              h('span', { class: 'grow ellipsis' }, name.replaceAll('_', ' ')),
              h('span', { class: 'muted small number' }, zoneOffset(name)),
            ),
          )
        : h('li', { class: 'menu-title' }, t('common.nothingFound')),
    );
    input.setAttribute('aria-activedescendant', active >= 0 ? `${id}-${active}` : '');
    list.children[active]?.scrollIntoView({ block: 'nearest' });
  }

  function keys(event) {
    const isOpen = !list.hidden;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) open();
      else {
        active = (active + (event.key === 'ArrowDown' ? 1 : -1) + found.length) % Math.max(1, found.length);
        draw();
      }
    } else if (event.key === 'Enter' && isOpen && found[active]) {
      event.preventDefault();
      choose(found[active]);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      event.preventDefault();
      close();
    }
  }

  function choose(name) {
    input.value = name;
    close();
    onChange(name);
  }

  function close() {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  const self = {
    element: h(
      'div',
      { class: 'field' },
      h('label', { class: 'field-label', for: id }, label),
      h('div', { class: 'popover-anchor zone-picker' }, input, list),
      hint ? h('p', { class: 'field-hint', id: `${id}-hint` }, hint) : null,
      problem,
    ),
    get value() {
      const text = input.value.trim();
      return names.includes(text) ? text : null;
    },
    focus: () => input.focus(),
    fail(text) {
      problem.textContent = text;
      problem.hidden = false;
      input.focus();
      close();
    },
  };
  return self;
}

/** Names whose city begins with the text come first, then those that hold it anywhere. */
function rank(name, text) {
  const city = name.toLowerCase().split('/').at(-1);
  return city.startsWith(text) ? 0 : name.toLowerCase().startsWith(text) ? 1 : 2;
}
