import { get } from '../core/api.js';
import { fill, h } from '../core/dom.js';
import { loadWords, t } from '../core/i18n.js';
import { errorState, skeleton } from '../parts/states.js';
import { changesCard } from './settings/changes.js';
import { dangerSection } from './settings/danger.js';
import { generalSection, platformsSection } from './settings/general.js';
import { keysSection } from './settings/keys.js';
import { revisionsSection } from './settings/revisions.js';
import { zoneSection } from './settings/zone.js';

const sections = ['general', 'platforms', 'timezone', 'keys', 'revisions', 'danger'];

/** What an app's owner may change: name, platforms, zone, write keys, archive, merge and deletion. */
export const page = {
  title: () => t('settings.title'),
  async mount(root, ctx) {
    await loadWords('realtime');
    const body = h('div', { class: 'stack' }, skeleton({ height: 160 }), skeleton({ height: 220 }));
    const navigation = h(
      'nav',
      { class: 'settings-nav', aria: { label: t('settings.sections') } },
      sections.map((name) => h('a', { href: `#${name}` }, t(`settings.${name}`))),
    );
    fill(root, h('div', { class: 'settings' }, navigation, body));
    await load();

    async function load() {
      try {
        const app = await get(`apps/${encodeURIComponent(ctx.app.id)}`, {}, { signal: ctx.signal });
        const changes = changesCard(ctx);
        const gone = () => {
          fill(root, h('div', { class: 'stack column' }, changes.element));
          changes.follow();
        };
        fill(
          body,
          changes.element,
          generalSection(ctx, app),
          platformsSection(ctx, app),
          zoneSection(ctx),
          keysSection(ctx, app),
          revisionsSection(ctx),
          dangerSection(ctx, { onMerge: changes.follow, onDelete: gone }),
        );
        changes.follow();
        if (window.location.hash) document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
      } catch (error) {
        if (error.name !== 'AbortError') fill(body, h('section', { class: 'card' }, errorState(error, load)));
      }
    }
  },
};
