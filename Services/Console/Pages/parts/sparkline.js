import { vector } from './icon.js';

/** A tiny line without axes; `name` says it in words. */
export function sparkline({ values, name, width = 132, height = 36 }) {
  const padding = 3;
  const largest = Math.max(1, ...values);
  const step = values.length > 1 ? (width - 2 * padding) / (values.length - 1) : 0;
  const points = values.map((value, index) => [
    padding + index * step,
    height - padding - (value / largest) * (height - 2 * padding),
  ]);
  const line = points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ');
  const last = points.at(-1);
  const svg = vector('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': name,
    class: 'sparkline',
  });
  if (!last) return svg;
  svg.append(
    vector('polygon', {
      points: `${round(points[0][0])},${height} ${line} ${round(last[0])},${height}`,
      class: 'sparkline-area',
    }),
    vector('polyline', { points: line, class: 'sparkline-line' }),
    vector('circle', { cx: round(last[0]), cy: round(last[1]), r: 2.5, class: 'sparkline-end' }),
  );
  return svg;
}

function round(value) {
  return Math.round(value * 10) / 10;
}
