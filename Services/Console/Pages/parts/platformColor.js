const order = ['ios', 'android', 'web', 'macos', 'windows', 'linux', 'bot', 'server', 'other'];

/** The name of a platform's colour, the same on every page. */
export function platformColor(name) {
  const at = order.indexOf(name);
  return `series-${at < 0 ? 8 : at + 1}`;
}
