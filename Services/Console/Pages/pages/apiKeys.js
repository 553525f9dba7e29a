import { get, send } from '../core/api.js';
import { fill, h, uniqueId } from '../core/dom.js';
import { dateTime } from '../core/format.js';
import { t } from '../core/i18n.js';
import { apps, facts } from '../core/session.js';
import { codeBlock } from '../parts/codeBlock.js';
import { confirmDialog, openDialog } from '../parts/dialog.js';
import { icon } from '../parts/icon.js';
import { secretOnce } from '../parts/secretOnce.js';
import { stackedTable } from '../parts/stackedTable.js';
import { emptyState, errorState, explain, skeleton } from '../parts/states.js';
import { toast } from '../parts/toast.js';

/** Secret keys of the Read API: issued, shown once, revoked. */
export const page = {
  title: () => t('apiKeys.title'),
  async mount(root, ctx) {
    const card = h('section', { class: 'card', aria: { label: t('apiKeys.title') } });
    const issueButton = h(
      'button',
      { type: 'button', class: 'button primary', id: 'issue-key', on: { click: () => issue(load) } },
      icon('plus'),
      t('apiKeys.issue'),
    );
    fill(
      root,
      h(
        'div',
        { class: 'stack' },
        h('div', { class: 'page-bar' }, h('p', { class: 'intro grow' }, t('apiKeys.intro')), issueButton),
        card,
      ),
    );
    fill(card, h('div', { class: 'card-body' }, skeleton({ lines: 4 })));
    let showsRevoked = false;
    await load();

    async function load() {
      try {
        const [keys, known] = await Promise.all([get('api-keys', {}, { signal: ctx.signal }), apps()]);
        draw(keys.items, known);
      } catch (error) {
        if (error.name !== 'AbortError') fill(card, errorState(error, load));
      }
    }

    function draw(keys, known) {
      const revoked = keys.filter((key) => key.revoked_at);
      const shown = showsRevoked ? keys : keys.filter((key) => !key.revoked_at);
      fill(
        card,
        shown.length
          ? table(shown, known, load)
          : emptyState({ title: t('apiKeys.none'), text: t('apiKeys.noneText'), iconName: 'key' }),
        revoked.length
          ? h(
              'div',
              { class: 'table-more' },
              h(
                'button',
                {
                  type: 'button',
                  class: 'button small quiet',
                  on: {
                    click: () => {
                      showsRevoked = !showsRevoked;
                      draw(keys, known);
                    },
                  },
                },
                showsRevoked ? t('apiKeys.hideRevoked') : t('apiKeys.showRevoked', { count: revoked.length }),
              ),
            )
          : null,
      );
    }
  },
};

function table(keys, known, reload) {
  return stackedTable(
    t('apiKeys.title'),
    h(
      'table',
      { class: 'table' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['key', 'scopes', 'app', 'issued', 'state'].map((name) =>
            h('th', { scope: 'col' }, t(`apiKeys.${name}`)),
          ),
          h('th', {}, h('span', { class: 'visually-hidden' }, t('common.actions'))),
        ),
      ),
      h(
        'tbody',
        {},
        keys.map((key) =>
          h(
            'tr',
            { class: key.revoked_at ? 'is-off' : null, data: { prefix: key.prefix } },
            h('th', { scope: 'row', class: 'mono nowrap' }, `${key.prefix}…`),
            h(
              'td',
              {},
              h(
                'div',
                { class: 'row' },
                [...key.scopes]
                  .sort()
                  .reverse()
                  .map((scope) =>
                    h(
                      'span',
                      { class: ['badge', scope === 'delete' && 'warn'] },
                      t(`apiKeys.scope_${scope}`),
                    ),
                  ),
              ),
            ),
            h('td', {}, appName(key, known)),
            h('td', { class: 'nowrap' }, h('time', { datetime: key.created_at }, dateTime(key.created_at))),
            h(
              'td',
              { class: 'nowrap' },
              key.revoked_at
                ? t('apiKeys.revokedAt', { time: dateTime(key.revoked_at) })
                : h('span', { class: 'badge good' }, t('apiKeys.active')),
            ),
            h(
              'td',
              { class: 'row-actions' },
              key.revoked_at
                ? null
                : h(
                    'button',
                    {
                      type: 'button',
                      class: 'button small danger',
                      aria: { label: `${t('apiKeys.revoke')} ${key.prefix}…` },
                      on: { click: () => revoke(key, reload) },
                    },
                    t('apiKeys.revoke'),
                  ),
            ),
          ),
        ),
      ),
    ),
  );
}

function appName(key, known) {
  if (!key.app_id) return t('apiKeys.allApps');
  return (
    known.find((app) => app.id === key.app_id)?.name ?? h('span', { class: 'muted' }, t('apiKeys.goneApp'))
  );
}

async function revoke(key, reload) {
  const isDone = await confirmDialog({
    title: t('apiKeys.revokeTitle'),
    text: t('apiKeys.revokeText', { key: `${key.prefix}…` }),
    confirm: t('apiKeys.revokeConfirm'),
    explain,
    run: () => send('DELETE', `api-keys/${encodeURIComponent(key.id)}`),
  });
  if (!isDone) return;
  toast(t('apiKeys.revokedToast'));
  await reload();
}

async function issue(reload) {
  const known = (await apps().catch(() => [])).filter((app) => app.status === 'active');
  const scopes = ['read', 'delete'].map((name) => ({
    name,
    input: h('input', { type: 'checkbox', name, checked: name === 'read' }),
  }));
  const appId = uniqueId('key-app');
  const select = h(
    'select',
    { class: 'select', id: appId, aria: { describedby: `${appId}-hint` } },
    h('option', { value: '' }, t('apiKeys.allApps')),
    known.map((app) => h('option', { value: app.id }, app.name)),
  );
  const problem = h('p', { class: 'field-error', role: 'alert', hidden: true });
  const formId = uniqueId('issue');
  const button = h('button', { type: 'submit', class: 'button primary', form: formId }, t('apiKeys.create'));
  const dialog = openDialog({
    title: t('apiKeys.issueTitle'),
    body: h(
      'form',
      { id: formId, class: 'stack', on: { submit } },
      h(
        'fieldset',
        { class: 'plain stack tight' },
        h('legend', { class: 'field-label' }, t('apiKeys.scopes')),
        scopes.map(({ name, input }) =>
          h(
            'label',
            { class: 'scope' },
            input,
            h(
              'span',
              {},
              h('span', { class: 'strong' }, t(`apiKeys.scope_${name}`)),
              h('br'),
              h('span', { class: 'small soft' }, t(`apiKeys.scopeHint_${name}`)),
            ),
          ),
        ),
      ),
      h(
        'div',
        { class: 'field' },
        h('label', { class: 'field-label', for: appId }, t('apiKeys.bind')),
        select,
        h('p', { class: 'field-hint', id: `${appId}-hint` }, t('apiKeys.bindHint')),
      ),
      problem,
    ),
    actions: (close) => [
      h('button', { type: 'button', class: 'button', on: { click: () => close() } }, t('common.cancel')),
      button,
    ],
  });

  async function submit(event) {
    event.preventDefault();
    const chosen = scopes.filter(({ input }) => input.checked).map(({ name }) => name);
    if (!chosen.length) return fail(t('apiKeys.needScope'));
    button.disabled = true;
    try {
      const key = await send('POST', 'api-keys', { scopes: chosen, app_id: select.value || null });
      dialog.close();
      showKey(key, chosen, select.value);
      await reload();
    } catch (error) {
      fail(explain(error));
      button.disabled = false;
    }
  }

  function fail(text) {
    problem.textContent = text;
    problem.hidden = false;
  }
}

function showKey(key, scopes, appId) {
  const path = appId ? `/v1/apps/${appId}` : '/v1/apps';
  openDialog({
    title: t('apiKeys.createdTitle'),
    canDismiss: false,
    body: h(
      'div',
      { class: 'stack' },
      secretOnce({ label: t('apiKeys.key'), value: key.key, text: t('apiKeys.createdText') }),
      scopes.includes('read')
        ? codeBlock({
            title: t('apiKeys.tryIt'),
            code: `curl -sS ${(facts().read_url ?? '').replace(/\/+$/, '')}${path} \\\n  -H 'Authorization: Bearer ${key.key}'\n`,
            wrap: true,
          })
        : null,
    ),
    actions: (close) =>
      h(
        'button',
        { type: 'button', class: 'button primary', on: { click: () => close() } },
        t('apiKeys.done'),
      ),
  });
}
