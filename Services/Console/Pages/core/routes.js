/**
 * The views of the dashboard by address.
 *
 * `page` is the module in pages/, `words` its files of words, `controls` the switches of the top bar, `section` the entry of the sidebar.
 * `isPublic` views need no session.
 */
export const routes = [
  { path: '/', page: 'portfolio', words: ['portfolio'], section: 'portfolio', controls: ['environment'] },
  { path: '/sign-in', page: 'signIn', words: ['signIn'], isPublic: true },
  { path: '/setup', page: 'setup', words: ['signIn'], isPublic: true },
  { path: '/apps/new', page: 'appNew', words: ['appNew'], section: 'portfolio', controls: [] },
  { path: '/apps/:app', redirect: 'audience' },
  { path: '/apps/:app/audience', page: 'audience', words: ['reports', 'audience'], section: 'audience', controls: ['environment', 'platform'] },
  { path: '/apps/:app/retention', page: 'retention', words: ['reports', 'retention'], section: 'retention', controls: ['environment', 'platform'] },
  { path: '/apps/:app/realtime', page: 'realtime', words: ['realtime'], section: 'realtime', controls: ['environment', 'platform'] },
  { path: '/apps/:app/profiles', page: 'profiles', words: ['profiles'], section: 'profiles', controls: ['environment'] },
  { path: '/apps/:app/profiles/:person', page: 'profilesPerson', words: ['profiles'], section: 'profiles', controls: ['environment'] },
  { path: '/apps/:app/integration', page: 'integration', words: ['integration'], section: 'integration', controls: [] },
  { path: '/apps/:app/settings', page: 'settings', words: ['settings'], section: 'settings', controls: [] },
  { path: '/api-keys', page: 'apiKeys', words: ['apiKeys'], section: 'apiKeys', controls: [] },
  { path: '/members', page: 'members', words: ['members'], section: 'members', controls: [] },
  { path: '/audit', page: 'audit', words: ['audit'], section: 'audit', controls: [] },
  { path: '/account', page: 'account', words: ['account'], section: 'account', controls: [] },
];

/** The pages of an app in the order of the sidebar, with their shortcut. */
export const appSections = [
  { name: 'audience', keys: 'a' }, { name: 'retention', keys: 't' }, { name: 'realtime', keys: 'r' },
  { name: 'profiles', keys: 'p' }, { name: 'integration', keys: 'i' }, { name: 'settings', keys: 's' },
];

/** The pages of the organisation. */
export const organisationSections = [
  { name: 'portfolio', path: '/', icon: 'apps', keys: 'h' }, { name: 'apiKeys', path: '/api-keys', icon: 'key' },
  { name: 'members', path: '/members', icon: 'members' }, { name: 'audit', path: '/audit', icon: 'audit' },
];

const keptAlways = ['environment', 'unit'];
const keptInApp = ['platform'];
const keptInReports = ['range', 'from', 'to', 'today', 'app_version', 'os_name', 'country'];
const reports = ['audience', 'retention'];

/**
 * The address of an app's page.
 *
 * What holds on every page is kept from the address on screen: the environment; inside an app the platform; from
 * report to report the period and the filters.
 */
export function appPath(appId, section) {
  const now = new URLSearchParams(window.location.search);
  const [, area, currentId, currentSection] = window.location.pathname.split('/');
  const isSameApp = area === 'apps' && currentId === appId;
  const isReport = isSameApp && reports.includes(section) && reports.includes(currentSection);
  const names = [...keptAlways, ...(isSameApp ? keptInApp : []), ...(isReport ? keptInReports : [])];
  const kept = new URLSearchParams();
  for (const name of names) for (const value of now.getAll(name)) kept.append(name, value);
  const query = kept.toString();
  return `/apps/${encodeURIComponent(appId)}/${section}${query ? `?${query}` : ''}`;
}
