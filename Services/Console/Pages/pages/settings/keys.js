import { get, send } from '../../core/api.js';
import { fill, h, uniqueId } from '../../core/dom.js';
import { dateTime, platform as platformName, relative } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { copyLine } from '../../parts/codeBlock.js';
import { confirmDialog, openDialog } from '../../parts/dialog.js';
import { icon } from '../../parts/icon.js';
import { section } from '../../parts/section.js';
import { stackedTable } from '../../parts/stackedTable.js';
import { emptyState, errorState, explain } from '../../parts/states.js';
import { toast } from '../../parts/toast.js';

const platforms = ['ios', 'android', 'web', 'macos', 'windows', 'linux', 'bot', 'server', 'other'];

/** The app's write keys: issued for a platform or any, revoked. */
export function keysSection(ctx, app) {
  const path = `apps/${encodeURIComponent(app.id)}/write-keys`;
  const body = h('div');
  let showsRevoked = false;
  draw(app.keys);
  load();
  return section(
    {
      id: 'keys',
      title: t('settings.keys'),
      hint: t('settings.keysHint'),
      actions: h(
        'button',
        { type: 'button', class: 'button small', id: 'issue-write-key', on: { click: issue } },
        icon('plus'),
        t('settings.issue'),
      ),
    },
    body,
  );

  async function load() {
    try {
      draw((await get(path, {}, { signal: ctx.signal })).items);
    } catch (error) {
      if (error.name !== 'AbortError' && !body.children.length) fill(body, errorState(error, load));
    }
  }

  function draw(keys) {
    const revoked = keys.filter((key) => key.revoked_at);
    const shown = showsRevoked ? keys : keys.filter((key) => !key.revoked_at);
    fill(
      body,
      shown.length
        ? table(shown)
        : emptyState({ title: t('settings.noKeys'), text: t('settings.noKeysText'), iconName: 'key' }),
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
                    draw(keys);
                  },
                },
              },
              showsRevoked ? t('settings.hideRevoked') : t('settings.showRevoked', { count: revoked.length }),
            ),
          )
        : null,
    );
  }

  function table(keys) {
    const knowsUse = keys.some((key) => key.last_used_at);
    return stackedTable(
      t('settings.keys'),
      h(
        'table',
        { class: 'table' },
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, t('settings.platform')),
            h('th', { scope: 'col' }, t('settings.key')),
            h('th', { scope: 'col' }, t('settings.issued')),
            knowsUse ? h('th', { scope: 'col' }, t('settings.lastUsed')) : null,
            h('th', {}, h('span', { class: 'visually-hidden' }, t('common.actions'))),
          ),
        ),
        h(
          'tbody',
          {},
          keys.map((key) => {
            const name = key.platform ? platformName(key.platform) : t('settings.anyPlatform');
            return h(
              'tr',
              { class: key.revoked_at ? 'is-off' : null, data: { key: key.key } },
              h('th', { scope: 'row', class: 'nowrap' }, name),
              h(
                'td',
                {},
                key.revoked_at
                  ? h('code', { class: 'small' }, key.key)
                  : copyLine(key.key, { label: t('settings.copyKey', { platform: name }) }),
              ),
              h(
                'td',
                { class: 'nowrap' },
                h(
                  'time',
                  { datetime: key.created_at, title: dateTime(key.created_at) },
                  relative(key.created_at),
                ),
              ),
              knowsUse
                ? h(
                    'td',
                    { class: 'nowrap' },
                    key.last_used_at
                      ? h(
                          'time',
                          { datetime: key.last_used_at, title: dateTime(key.last_used_at) },
                          relative(key.last_used_at),
                        )
                      : '–',
                  )
                : null,
              h(
                'td',
                { class: 'row-actions' },
                key.revoked_at
                  ? h('span', { class: 'badge', title: dateTime(key.revoked_at) }, t('settings.revoked'))
                  : h(
                      'button',
                      {
                        type: 'button',
                        class: 'button small danger',
                        aria: { label: `${t('settings.revoke')} ${name} ${key.key.slice(0, 9)}…` },
                        on: { click: () => revoke(key, name) },
                      },
                      t('settings.revoke'),
                    ),
              ),
            );
          }),
        ),
      ),
    );
  }

  async function revoke(key, name) {
    const isDone = await confirmDialog({
      title: t('settings.revokeTitle'),
      text: t('settings.revokeText', { key: `${name} · ${key.key.slice(0, 9)}…` }),
      confirm: t('settings.revokeConfirm'),
      explain,
      run: () => send('DELETE', `${path}/${encodeURIComponent(key.id)}`),
    });
    if (!isDone) return;
    toast(t('settings.revokedToast'));
    await load();
  }

  function issue() {
    const selectId = uniqueId('key-platform');
    const formId = uniqueId('issue');
    const select = h(
      'select',
      { class: 'select', id: selectId, name: 'platform' },
      h('option', { value: '' }, t('settings.anyPlatform')),
      [...app.platforms, ...platforms.filter((name) => !app.platforms.includes(name))].map((name) =>
        h('option', { value: name }, platformName(name)),
      ),
    );
    const problem = h('p', { class: 'field-error', role: 'alert', hidden: true });
    const button = h(
      'button',
      { type: 'submit', class: 'button primary', form: formId },
      t('settings.issue'),
    );
    const dialog = openDialog({
      title: t('settings.issueTitle'),
      body: h(
        'form',
        { id: formId, class: 'stack', on: { submit } },
        h('p', { class: 'soft' }, t('settings.issueText')),
        h(
          'div',
          { class: 'field' },
          h('label', { class: 'field-label', for: selectId }, t('settings.platform')),
          select,
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
      button.disabled = true;
      try {
        await send('POST', path, { platform: select.value || null });
        dialog.close();
        toast(t('settings.issuedToast'));
        await load();
      } catch (error) {
        problem.textContent = explain(error);
        problem.hidden = false;
        button.disabled = false;
      }
    }
  }
}
