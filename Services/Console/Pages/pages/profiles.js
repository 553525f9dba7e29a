import { get } from '../core/api.js';
import { fill, h, uniqueId } from '../core/dom.js';
import { dateTime, number, relative } from '../core/format.js';
import { loadWords, t } from '../core/i18n.js';
import { copyRequestButton } from '../parts/copyRequest.js';
import { icon } from '../parts/icon.js';
import { device, personLink, place, platformName, system, twoLines } from '../parts/people.js';
import { emptyState, errorState, skeleton } from '../parts/states.js';

const recentMax = 20;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Finds people by the whole of a user ID or install ID, and shows who was there last. */
export const page = {
  title: () => t('profiles.title'),
  async mount(root, ctx) {
    await loadWords('realtime');
    const query = (ctx.query.get('q') ?? '').trim();
    const results = h('div', { aria: { live: 'polite' } });
    fill(root, h('div', { class: 'stack' }, searchForm(ctx, query), results));
    await show();

    async function show() {
      fill(
        results,
        h('section', { class: 'card' }, h('div', { class: 'card-body' }, skeleton({ lines: 5 }))),
      );
      try {
        fill(results, query ? await found(ctx, query) : await recent(ctx));
      } catch (error) {
        if (error.name !== 'AbortError')
          fill(results, h('section', { class: 'card' }, errorState(error, show)));
      }
    }
  },
};

function searchForm(ctx, query) {
  const id = uniqueId('person');
  const input = h('input', {
    class: 'input',
    id,
    type: 'search',
    name: 'q',
    value: query,
    placeholder: t('profiles.placeholder'),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    maxlength: '128',
    aria: { describedby: `${id}-hint` },
  });
  const submit = (event) => {
    event.preventDefault();
    ctx.setQuery({ q: input.value.trim() || null });
  };
  return h(
    'form',
    { class: 'card person-search', role: 'search', on: { submit } },
    h('label', { class: 'field-label', for: id }, t('profiles.search')),
    h(
      'div',
      { class: 'row' },
      h('div', { class: 'search grow' }, icon('search'), input),
      h('button', { type: 'submit', class: 'button primary' }, t('profiles.find')),
      query
        ? h(
            'button',
            { type: 'button', class: 'button', on: { click: () => ctx.setQuery({ q: null }) } },
            t('profiles.clear'),
          )
        : null,
    ),
    h('p', { class: 'field-hint', id: `${id}-hint` }, t('profiles.hint')),
  );
}

function profilesPath(ctx) {
  return `/v1/apps/${encodeURIComponent(ctx.app.id)}/profiles`;
}

/** People with this user ID, and when it looks like one, with this install ID. */
async function search(ctx, query, environment) {
  const path = profilesPath(ctx);
  const asked = [get(path, { environment, user_id: query }, { signal: ctx.signal })];
  if (uuid.test(query))
    asked.push(get(path, { environment, install_id: query.toLowerCase() }, { signal: ctx.signal }));
  const answers = await Promise.all(asked);
  const people = new Map();
  for (const item of answers.flatMap((answer) => answer.items))
    if (!people.has(item.person_key)) people.set(item.person_key, item);
  return [...people.values()];
}

async function found(ctx, query) {
  const people = await search(ctx, query, ctx.environment);
  if (people.length) {
    const request = () => ({
      path: profilesPath(ctx),
      params: uuid.test(query)
        ? { environment: ctx.environment, install_id: query.toLowerCase() }
        : { environment: ctx.environment, user_id: query },
    });
    return peopleTable(
      ctx,
      t('profiles.found', { count: people.length }),
      copyRequestButton(request),
      people,
    );
  }
  const other = ctx.environment === 'production' ? 'development' : 'production';
  const elsewhere = await search(ctx, query, other).catch(() => []);
  const text = t('profiles.notFoundText', { query, environment: t(`people.${ctx.environment}`) });
  return h(
    'section',
    { class: 'card' },
    emptyState({
      title: t('profiles.notFound'),
      iconName: 'search',
      text: elsewhere.length
        ? `${text} ${t('profiles.foundElsewhere', { environment: t(`people.${other}`) })}`
        : text,
      actions: elsewhere.length
        ? h(
            'button',
            {
              type: 'button',
              class: 'button primary',
              on: { click: () => ctx.setQuery({ environment: other === 'production' ? null : other }) },
            },
            t('profiles.showElsewhere', { environment: t(`people.${other}`) }),
          )
        : null,
    }),
  );
}

/** People of the latest events, each once; the API lists nobody without an ID. */
async function recent(ctx) {
  const answer = await get(
    `/v1/apps/${encodeURIComponent(ctx.app.id)}/realtime`,
    { environment: ctx.environment },
    { signal: ctx.signal },
  );
  const people = new Map();
  for (const event of answer.events) {
    if (!people.has(event.person_key))
      people.set(event.person_key, { ...event, last_seen: event.event_time });
  }
  const environment = t(`people.${ctx.environment}`);
  if (people.size)
    return peopleTable(
      ctx,
      t('profiles.recent'),
      h('span', { class: 'small muted' }, t('profiles.recentHint', { environment })),
      [...people.values()].slice(0, recentMax),
    );
  return h(
    'section',
    { class: 'card' },
    emptyState({
      title: t('profiles.nobodyYet'),
      text: t('profiles.nobodyYetText', { environment }),
      iconName: 'profiles',
      actions: h(
        'a',
        { class: 'button', href: `/apps/${encodeURIComponent(ctx.app.id)}/integration` },
        t('profiles.toIntegration'),
      ),
    }),
  );
}

function peopleTable(ctx, title, extra, people) {
  const zone = ctx.app.timezone;
  const isWhole = people.every((person) => person.first_seen);
  const moment = (iso) =>
    h('time', { datetime: iso, title: dateTime(iso, zone, { seconds: true }) }, relative(iso));
  return h(
    'section',
    { class: 'card', aria: { labelledby: 'people-title' } },
    h('div', { class: 'card-head' }, h('h2', { id: 'people-title' }, title), extra),
    h(
      'div',
      { class: 'table-wrap', tabindex: '0', role: 'group', aria: { labelledby: 'people-title' } },
      h(
        'table',
        { class: 'table feed' },
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, t('profiles.person')),
            isWhole
              ? [
                  h('th', { scope: 'col', class: 'is-number' }, t('profiles.installs')),
                  h('th', { scope: 'col' }, t('profiles.firstSeen')),
                ]
              : ['platform', 'device', 'place'].map((name) => h('th', { scope: 'col' }, t(`people.${name}`))),
            h('th', { scope: 'col' }, t('profiles.lastSeen')),
          ),
        ),
        h(
          'tbody',
          {},
          people.map((person) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row', class: 'person-cell' }, personLink(ctx, person.person_key)),
              isWhole
                ? [
                    h('td', { class: 'is-number' }, number(person.installs)),
                    h('td', { class: 'nowrap' }, moment(person.first_seen)),
                  ]
                : [
                    h('td', {}, twoLines(platformName(person.platform), person.app_version)),
                    h('td', {}, twoLines(device(person), system(person))),
                    h('td', {}, place(person)),
                  ],
              h('td', { class: 'nowrap' }, moment(person.last_seen)),
            ),
          ),
        ),
      ),
    ),
  );
}
