import { rangeOf } from './range.js';

/** The parameters of the Read API that filter, in the order of the bar. */
export const filterNames = ['platform', 'app_version', 'os_name', 'country'];

/** The filters an address asks for: a list of values by parameter. */
export function filtersOf(query) {
  return Object.fromEntries(filterNames.map((name) => [name, [...new Set(query.getAll(name))]]));
}

/** What every report of a page asks for: {range, unit, filters, params}. */
export function reportQuery(ctx) {
  const range = rangeOf(ctx.query, ctx.app.timezone);
  const unit = ctx.query.get('unit') === 'installs' ? 'installs' : 'persons';
  const filters = filtersOf(ctx.query);
  const params = { from: range.from, to: range.to };
  if (ctx.environment !== 'production') params.environment = ctx.environment;
  if (unit !== 'persons') params.unit = unit;
  for (const name of filterNames) if (filters[name].length) params[name] = filters[name];
  return { range, unit, filters, params };
}

/** The path of a report of an app. */
export function reportPath(ctx, name) {
  return `/v1/apps/${encodeURIComponent(ctx.app.id)}/${name}`;
}
