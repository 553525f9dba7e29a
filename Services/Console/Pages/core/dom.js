/**
 * Makes an element.
 *
 * `props` takes `class`, `id`, `on` (listeners), `aria`, `data`, `style` (custom and plain properties, set by
 * script because the page allows no style attributes), and any attribute; `value`, `checked`, `indeterminate`
 * and `selected` are set as properties. Children are nodes, strings (always text), arrays of them, or
 * nothing.
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  append(element, children);
  return element;
}

const asProperty = new Set(['value', 'checked', 'indeterminate', 'selected']);

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === 'class') {
    element.className = Array.isArray(value) ? value.filter(Boolean).join(' ') : value;
  } else if (name === 'on') {
    for (const [event, listener] of Object.entries(value))
      if (listener) element.addEventListener(event, listener);
  } else if (name === 'aria') {
    for (const [key, text] of Object.entries(value)) setAttribute(element, `aria-${key}`, text);
  } else if (name === 'data') {
    for (const [key, text] of Object.entries(value))
      if (text !== null && text !== undefined) element.dataset[key] = text;
  } else if (name === 'style') {
    for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
  } else if (asProperty.has(name)) {
    element[name] = value;
  } else {
    setAttribute(element, name, value === true ? '' : value);
  }
}

function setAttribute(element, name, value) {
  if (value !== null && value !== undefined) element.setAttribute(name, String(value));
}

/** Adds children of any accepted kind to an element. */
export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Removes everything inside a node and gives it back. */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/** Replaces what is inside a node. */
export function fill(node, ...children) {
  return append(clear(node), children);
}

let lastNumber = 0;

/** Makes an id that no other element of the page has. */
export function uniqueId(prefix = 'e') {
  lastNumber += 1;
  return `${prefix}-${lastNumber}`;
}

/** Runs a function after the last of a burst of calls. */
export function debounce(action, milliseconds) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}
