const space = 'http://www.w3.org/2000/svg';

// Paths on a grid of 16 by 16, drawn as lines.
const shapes = {
  audience: ['M2 13V9m4 4V5m4 8V7m4 6V3'],
  retention: ['M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3'],
  realtime: ['M1.5 8h3l2-5 3 10 2-5h3'],
  profiles: ['M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.6-2.4 2.6-3.6 5-3.6s4.4 1.2 5 3.6'],
  integration: ['M5.5 5 2.5 8l3 3m5-6 3 3-3 3'],
  settings: ['M2 4.5h7m3 0h2M2 11.5h2m3 0h7M10.5 3v3M5.5 10v3'],
  apps: ['M2.5 2.5h4v4h-4zm7 0h4v4h-4zm-7 7h4v4h-4zm7 0h4v4h-4z'],
  key: ['M10.5 9a3.5 3.5 0 1 0-3.3-2.3L2 12v2h2.5v-1.5H6V11l1.3-1.3A3.5 3.5 0 0 0 10.5 9Zm.5-4h.01'],
  members: [
    'M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5ZM1.5 13c.5-2.2 2.3-3.3 4.5-3.3s4 1.1 4.5 3.3M10.5 3.2a2.2 2.2 0 0 1 0 4.1m1.7 2.7c1.3.5 2.1 1.5 2.4 3',
  ],
  audit: ['M4 2h6l3 3v9H4zM6.5 7.5h4m-4 3h4'],
  search: ['M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14'],
  chevron: ['M4 6l4 4 4-4'],
  right: ['M6 4l4 4-4 4'],
  left: ['M10 4 6 8l4 4'],
  close: ['M4 4l8 8m0-8-8 8'],
  check: ['M3 8.5 6.5 12 13 4.5'],
  copy: ['M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3'],
  terminal: ['M2 3h12v10H2zM4.5 6l2 2-2 2m3.5 0h3'],
  download: ['M8 2v8m-3.5-3L8 10.5 11.5 7M2.5 13.5h11'],
  menu: ['M2 4h12M2 8h12M2 12h12'],
  plus: ['M8 3v10M3 8h10'],
  alert: ['M8 2 1.5 13.5h13zM8 6.5v3m0 2v.01'],
  info: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-6.5V11m0-6v.01'],
  calendar: ['M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3m5-3v3'],
  filter: ['M2 3h12L9.5 8.5V13l-3-1.5v-3z'],
  table: ['M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10'],
  chart: ['M2 2v12h12M4.5 10.5 7.5 7l2.5 2 4-5'],
  sun: [
    'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5m0 11V15M1 8h1.5m11 0H15M3 3l1 1m8 8 1 1m0-10-1 1M4 12l-1 1',
  ],
  moon: ['M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z'],
  keyboard: ['M1.5 4h13v8h-13zM4 6.5h.01m2.49 0h.01m2.49 0h.01m2.49 0h.01M5 9.5h6'],
  arrowUp: ['M8 13V3M4 7l4-4 4 4'],
  arrowDown: ['M8 3v10M4 9l4 4 4-4'],
  trash: ['M2.5 4h11M6 4V2.5h4V4m-6 0 .7 9.5h6.6L12 4'],
  refresh: ['M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3'],
  signOut: ['M6 2.5H2.5v11H6M10 5l3 3-3 3m3-3H6'],
  globe: [
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c2 1.8 2.6 3.8 2.6 6S10 12.2 8 14c-2-1.8-2.6-3.8-2.6-6S6 3.8 8 2Z',
  ],
  archive: ['M2 3h12v3H2zM3 6v7.5h10V6M6.5 9h3'],
  user: ['M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.6-2.4 2.6-3.6 5-3.6s4.4 1.2 5 3.6'],
  external: ['M9 2.5h4.5V7M13.5 2.5 7 9M11 9.5v4H2.5V5h4'],
  eye: ['M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z'],
  clock: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.5V8l2.5 1.5'],
};

/** Draws an icon of 16 px; it is hidden from screen readers, so what it means must also stand in words. */
export function icon(name, { size = 16 } = {}) {
  const svg = vector('svg', {
    viewBox: '0 0 16 16',
    width: size,
    height: size,
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': 1.5,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
    focusable: 'false',
  });
  for (const d of shapes[name] ?? shapes.info) svg.append(vector('path', { d }));
  return svg;
}

/** Makes an SVG element with attributes. */
export function vector(tag, attributes = {}, ...children) {
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}
