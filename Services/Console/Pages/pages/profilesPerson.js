import { get, send } from '../core/api.js';
import { fill, h } from '../core/dom.js';
import { dateTime, number, relative } from '../core/format.js';
import { loadWords, t } from '../core/i18n.js';
import { copyLine } from '../parts/codeBlock.js';
import { copyRequestButton } from '../parts/copyRequest.js';
import { followDeletion } from '../parts/deletion.js';
import { confirmDialog } from '../parts/dialog.js';
import { icon } from '../parts/icon.js';
import { device, place, platformName, readPersonKey, shortId, system } from '../parts/people.js';
import { sessionFeed } from '../parts/sessionFeed.js';
import { emptyState, errorState, explain, skeleton } from '../parts/states.js';

/** One person: installations, devices, sessions, and the deletion of everything about them. */
export const page = {
  title: (ctx) => shortId(readPersonKey(ctx.params.person).id),
  async mount(root, ctx) {
    await loadWords('realtime');
    const body = h('div', { class: 'stack' });
    fill(root, h('div', { class: 'stack' }, backLink(ctx), body));
    const request = ctx.query.get('deletion');
    if (request) {
      await followDeletion(body, ctx, request, { again: () => askToDelete(ctx) });
      return;
    }
    await show();

    async function show() {
      fill(body, skeleton({ height: 84 }), skeleton({ height: 200 }));
      try {
        const profile = await get(
          profilePath(ctx),
          { environment: ctx.environment, sessions_limit: 25 },
          { signal: ctx.signal },
        );
        fill(
          body,
          head(ctx, profile),
          figures(ctx, profile),
          h(
            'div',
            { class: 'person-grid' },
            sessionFeed(ctx, profile),
            h('div', { class: 'stack' }, installs(ctx, profile), devices(ctx, profile)),
          ),
        );
      } catch (error) {
        if (error.name === 'AbortError') return;
        fill(
          body,
          h(
            'section',
            { class: 'card' },
            error.status === 404 || error.status === 400 ? missing(ctx) : errorState(error, show),
          ),
        );
      }
    }
  },
};

/** The Read API's address of the person. */
function profilePath(ctx) {
  return `/v1/apps/${encodeURIComponent(ctx.app.id)}/profiles/${encodeURIComponent(ctx.params.person)}`;
}

function backLink(ctx) {
  const query = ctx.environment === 'development' ? '?environment=development' : '';
  return h(
    'a',
    { class: 'back-link', href: `/apps/${encodeURIComponent(ctx.app.id)}/profiles${query}` },
    icon('left', { size: 14 }),
    t('person.back'),
  );
}

function missing(ctx) {
  const other = ctx.environment === 'production' ? 'development' : 'production';
  return emptyState({
    title: t('person.notFound'),
    text: t('person.notFoundText', { environment: t(`people.${ctx.environment}`) }),
    iconName: 'search',
    actions: [
      h(
        'a',
        { class: 'button primary', href: `/apps/${encodeURIComponent(ctx.app.id)}/profiles` },
        t('person.toProfiles'),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'button',
          on: { click: () => ctx.setQuery({ environment: other === 'production' ? null : other }) },
        },
        t('profiles.showElsewhere', { environment: t(`people.${other}`) }),
      ),
    ],
  });
}

function head(ctx, profile) {
  const { isUser, id } = readPersonKey(profile.person_key);
  return h(
    'section',
    { class: 'card person-head' },
    h(
      'span',
      { class: ['person-mark', 'large', isUser && 'is-user'], aria: { hidden: 'true' } },
      icon(isUser ? 'user' : 'profiles', { size: 22 }),
    ),
    h(
      'div',
      { class: 'grow' },
      h('div', { class: 'small muted' }, t(isUser ? 'people.account' : 'people.anonymous')),
      copyLine(id, { label: t(isUser ? 'people.userId' : 'people.installId') }),
    ),
    copyRequestButton(() => ({ path: profilePath(ctx), params: { environment: ctx.environment } })),
    h(
      'button',
      { type: 'button', class: 'button danger', id: 'delete-data', on: { click: () => askToDelete(ctx) } },
      icon('trash'),
      t('person.delete'),
    ),
  );
}

function figures(ctx, profile) {
  const zone = ctx.app.timezone;
  const moment = (label, iso) =>
    h(
      'div',
      { class: 'live-tile' },
      h('dt', {}, label),
      h('dd', { class: 'live-value is-text' }, relative(iso)),
      h('dd', { class: 'small muted' }, dateTime(iso, zone)),
    );
  return h(
    'dl',
    { class: 'live-tiles' },
    moment(t('person.firstSeen'), profile.first_seen),
    moment(t('person.lastSeen'), profile.last_seen),
    h(
      'div',
      { class: 'live-tile' },
      h('dt', {}, t('person.installs')),
      h('dd', { class: 'live-value number' }, number(profile.installs_total)),
      h('dd', { class: 'small muted' }, t('person.linkedHint')),
    ),
  );
}

function installs(ctx, profile) {
  const zone = ctx.app.timezone;
  return h(
    'section',
    { class: 'card', aria: { labelledby: 'installs-title' } },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'installs-title' }, t('person.installs')),
      profile.installs_total > profile.installs.length
        ? h(
            'span',
            { class: 'small muted' },
            t('person.installsShown', { shown: profile.installs.length, total: profile.installs_total }),
          )
        : null,
    ),
    h(
      'ul',
      { class: 'install-list' },
      profile.installs.map((install) =>
        h(
          'li',
          {},
          h(
            'div',
            { class: 'row wrap' },
            h('span', { class: 'badge' }, platformName(install.platform)),
            install.app_version ? h('span', { class: 'number strong' }, install.app_version) : null,
            h('span', { class: 'soft' }, system(install)),
          ),
          copyLine(install.install_id, { label: t('people.installId') }),
          h(
            'div',
            { class: 'small muted' },
            [device(install), place(install)].filter((text) => text !== '–').join(' · '),
          ),
          h(
            'div',
            { class: 'small muted' },
            `${dateTime(install.first_seen, zone)} – ${dateTime(install.last_seen, zone)}`,
          ),
        ),
      ),
    ),
  );
}

function devices(ctx, profile) {
  const zone = ctx.app.timezone;
  return h(
    'section',
    { class: 'card', aria: { labelledby: 'devices-title' } },
    h('div', { class: 'card-head' }, h('h2', { id: 'devices-title' }, t('person.devices'))),
    h(
      'ul',
      { class: 'install-list' },
      profile.devices.map((one) =>
        h(
          'li',
          { class: 'row wrap' },
          h(
            'span',
            { class: 'grow stack-lines' },
            h('span', { class: 'strong' }, device(one) === '–' ? platformName(one.platform) : device(one)),
            h(
              'span',
              { class: 'small soft' },
              [platformName(one.platform), system(one), one.app_version]
                .filter((text) => text && text !== '–')
                .join(' · '),
            ),
          ),
          h(
            'time',
            {
              class: 'small muted nowrap',
              datetime: one.last_seen,
              title: dateTime(one.last_seen, zone, { seconds: true }),
            },
            relative(one.last_seen),
          ),
        ),
      ),
    ),
  );
}

/** Asks, sends the request, and follows it at an address that can be reloaded. */
async function askToDelete(ctx) {
  const { isUser, id } = readPersonKey(ctx.params.person);
  let request = null;
  const isConfirmed = await confirmDialog({
    title: t('person.deleteTitle'),
    text: [
      t(isUser ? 'person.deleteUser' : 'person.deleteInstall', { id }),
      t('person.deleteAfter'),
      t('person.deleteComesBack'),
    ],
    typed: isUser ? id : shortId(id),
    confirm: t('person.deleteConfirm'),
    explain,
    run: async () => {
      request = await send('POST', `/v1/apps/${encodeURIComponent(ctx.app.id)}/deletion-requests`, {
        subject_type: isUser ? 'user' : 'install',
        subject_value: id,
      });
    },
  });
  if (isConfirmed && request) ctx.setQuery({ deletion: request.id });
}
