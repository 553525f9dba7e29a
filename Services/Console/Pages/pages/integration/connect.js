import { serverNow } from '../../core/api.js';
import { fill, h, uniqueId } from '../../core/dom.js';
import { platform as platformName, relative } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { facts } from '../../core/session.js';
import { codeBlock, copyLine } from '../../parts/codeBlock.js';
import { newID, snippetsFor } from '../../parts/snippets.js';
import { emptyState, errorState, skeleton } from '../../parts/states.js';
import { segments, tabs } from '../../parts/tabs.js';

/** Keys of the app and snippets with the address and a key filled in: {element, changed(ctx)}. */
export function connectView(firstCtx, keys) {
  let ctx = firstCtx;
  const snippetCard = h('section', { class: 'card', aria: { labelledby: 'snippets-title' } });
  const element = h('div', { class: 'connect-grid' }, keys.length ? snippetCard : null, keysCard(ctx, keys));
  if (keys.length) drawSnippet();

  function changed(next) {
    ctx = next;
    if (keys.length) drawSnippet();
  }

  async function drawSnippet() {
    const offered = snippetsFor(ctx.app);
    const snippet = offered.find((one) => one.id === ctx.query.get('snippet')) ?? offered[0];
    const key = keyFor(ctx, keys, snippet);
    const environment = ctx.query.get('as') === 'production' ? 'production' : 'development';
    const options = () => ({
      endpoint: `${(facts().ingest_url ?? '').replace(/\/+$/, '')}/v1/events`,
      key: key.key,
      environment,
      newID,
      now: serverNow(),
      platform:
        key.platform ??
        snippet.platforms.find((one) => ctx.app.platforms.includes(one)) ??
        snippet.platforms[0] ??
        ctx.app.platforms[0] ??
        'other',
      iosKey: keys.find((one) => one.platform === 'ios')?.key,
      androidKey: keys.find((one) => one.platform === 'android')?.key,
    });
    const focusedId = snippetCard.contains(document.activeElement) ? document.activeElement.id : null;
    const code = h('div', { class: 'stack' }, skeleton({ height: 240 }));
    const keySelect = uniqueId('snippet-key');
    fill(
      snippetCard,
      h(
        'div',
        { class: 'card-head' },
        h('h2', { id: 'snippets-title' }, t('integration.snippets')),
        h('span', { class: 'small muted' }, t('integration.snippetsHint')),
      ),
      h(
        'div',
        { class: 'card-body stack' },
        tabs({
          label: t('integration.snippets'),
          value: snippet.id,
          idPrefix: 'snippet',
          panelId: 'snippet-panel',
          items: offered.map((one) => ({ value: one.id, label: one.name })),
          choose: (id) => ctx.setQuery({ snippet: id, key: null }, { replace: true }),
        }),
        h(
          'div',
          {
            class: 'stack',
            id: 'snippet-panel',
            role: 'tabpanel',
            aria: { labelledby: `snippet-${snippet.id}` },
          },
          h(
            'div',
            { class: 'row wrap snippet-options' },
            h(
              'div',
              { class: 'row' },
              h('label', { class: 'small muted', for: keySelect }, t('integration.withKey')),
              h(
                'select',
                {
                  class: 'select compact',
                  id: keySelect,
                  on: { change: (event) => ctx.setQuery({ key: event.target.value }, { replace: true }) },
                },
                keys.map((one) => h('option', { value: one.id, selected: one.id === key.id }, keyName(one))),
              ),
            ),
            snippet.sendsAs
              ? h(
                  'div',
                  { class: 'row wrap', title: t('integration.sendAsHint') },
                  h('span', { class: 'small muted' }, t('integration.sendAs')),
                  segments({
                    label: t('integration.sendAs'),
                    value: environment,
                    idPrefix: 'send-as',
                    choose: (as) => ctx.setQuery({ as: as === 'development' ? null : as }, { replace: true }),
                    items: ['development', 'production'].map((name) => ({
                      value: name,
                      label: t(`people.${name}`),
                    })),
                  }),
                )
              : null,
          ),
          h('p', { class: 'soft' }, t(`integration.${snippet.note}`)),
          code,
          snippet.id === 'curl'
            ? h(
                'p',
                { class: 'small muted' },
                t('integration.curlAnswer', { answer: '{"accepted":2,…}' }),
                ' ',
                t('integration.freshIds'),
              )
            : h(
                'ul',
                { class: 'hint-list' },
                snippet.hints.map((hint) => h('li', {}, t(`integration.${hint}`))),
              ),
        ),
      ),
    );
    if (focusedId) document.getElementById(focusedId)?.focus({ preventScroll: true });
    try {
      const files = await snippet.files(options);
      fill(
        code,
        files.map((file) =>
          codeBlock({
            title: file.title,
            language: file.language,
            code: file.make(),
            copied: () => file.make(),
          }),
        ),
      );
    } catch (error) {
      fill(code, errorState(error, drawSnippet));
    }
  }

  return { element, changed };
}

/** The key that was chosen; else the one of the snippet's platform, else one for any platform, else the first. */
function keyFor(ctx, keys, snippet) {
  const chosen = keys.find((key) => key.id === ctx.query.get('key'));
  const own = snippet.platforms
    .map((platform) => keys.find((key) => key.platform === platform))
    .find(Boolean);
  const any = keys.find((key) => key.platform === null);
  return chosen ?? own ?? (snippet.platforms.length ? any : null) ?? keys[0];
}

function keyName(key) {
  return `${key.platform ? platformName(key.platform) : t('integration.anyPlatform')} · ${key.key.slice(0, 9)}…`;
}

function keysCard(ctx, keys) {
  const settings = h(
    'a',
    { class: 'button small', href: `/apps/${encodeURIComponent(ctx.app.id)}/settings#keys` },
    t('integration.manageKeys'),
  );
  return h(
    'section',
    { class: 'card keys-card', aria: { labelledby: 'keys-title' } },
    h('div', { class: 'card-head' }, h('h2', { id: 'keys-title' }, t('integration.keys'))),
    keys.length === 0
      ? emptyState({
          title: t('integration.noKeys'),
          text: t('integration.noKeysText'),
          iconName: 'key',
          actions: settings,
        })
      : h(
          'div',
          { class: 'card-body stack' },
          h('p', { class: 'small soft' }, t('integration.keysHint')),
          h(
            'div',
            { class: 'stack tight' },
            h('span', { class: 'field-label' }, t('integration.ingestUrl')),
            copyLine(facts().ingest_url ?? '', { label: t('integration.ingestUrl') }),
          ),
          h(
            'ul',
            { class: 'write-key-list' },
            keys.map((key) => {
              const name = key.platform ? platformName(key.platform) : t('integration.anyPlatform');
              return h(
                'li',
                { data: { platform: key.platform ?? 'any' } },
                h(
                  'div',
                  { class: 'row' },
                  h('span', { class: 'strong grow' }, name),
                  key.last_used_at
                    ? h(
                        'span',
                        { class: 'small muted' },
                        t('integration.lastUsed', { ago: relative(key.last_used_at) }),
                      )
                    : null,
                ),
                copyLine(key.key, { label: t('integration.copyKey', { platform: name }) }),
              );
            }),
          ),
          settings,
        ),
  );
}
