import { country, localeName, platform } from '../core/format.js';
import { has, t } from '../core/i18n.js';

/** The dimensions of breakdowns, in the order of the tabs. */
export const dimensions = [
  'platform',
  'app_version',
  'os_name',
  'os_version',
  'device_model',
  'device_type',
  'country',
  'city',
  'locale',
];

/** The name of a dimension's value for people; null is nobody's value. */
export function valueName(dimension, value) {
  if (value === null || value === undefined) return t('common.none');
  switch (dimension) {
    case 'platform':
      return platform(value);
    case 'country':
      return withCode(country(value), value);
    case 'locale':
      return withCode(localeName(value), value);
    case 'device_type':
      return has(`deviceTypes.${value}`) ? t(`deviceTypes.${value}`) : value;
    default:
      return value;
  }
}

function withCode(name, code) {
  return name === code ? code : `${name} (${code})`;
}
