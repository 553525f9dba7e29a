import { get, send } from '../../core/api.js';
import { fill, h, uniqueId } from '../../core/dom.js';
import { number } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { apps, refreshApps } from '../../core/session.js';
import { confirmDialog, openDialog } from '../../parts/dialog.js';
import { section } from '../../parts/section.js';
import { explain, skeleton } from '../../parts/states.js';
import { toast } from '../../parts/toast.js';

/** What ends something: archive, merge and deletion. */
export function dangerSection(ctx, { onMerge, onDelete }) {
  const { app } = ctx;
  const path = `apps/${encodeURIComponent(app.id)}`;
  const isArchived = app.status === 'archived';
  return section(
    { id: 'danger', title: t('settings.danger'), className: 'danger-zone' },
    row(
      isArchived ? t('settings.restore') : t('settings.archive'),
      t(isArchived ? 'settings.archivedNow' : 'settings.archiveText'),
      h(
        'button',
        {
          type: 'button',
          class: ['button', !isArchived && 'danger'],
          id: 'archive-app',
          on: { click: isArchived ? restore : archive },
        },
        t(isArchived ? 'settings.restore' : 'settings.archiveConfirm'),
      ),
    ),
    row(
      t('settings.merge'),
      t('settings.mergeText'),
      h(
        'button',
        { type: 'button', class: 'button danger', id: 'merge-app', on: { click: () => merge(ctx, onMerge) } },
        t('settings.mergeButton'),
      ),
    ),
    row(
      t('settings.delete'),
      t('settings.deleteText'),
      h(
        'button',
        { type: 'button', class: 'button danger', id: 'delete-app', on: { click: remove } },
        t('settings.deleteButton'),
      ),
    ),
  );

  async function archive() {
    const isDone = await confirmDialog({
      title: t('settings.archiveTitle', { name: app.name }),
      text: t('settings.archiveText'),
      confirm: t('settings.archiveConfirm'),
      explain,
      run: () => send('POST', `${path}/archive`, {}),
    });
    if (isDone) await done('settings.archivedToast');
  }

  async function restore() {
    try {
      await send('POST', `${path}/restore`, {});
      await done('settings.restoredToast');
    } catch (error) {
      toast(explain(error));
    }
  }

  async function done(word) {
    toast(t(word));
    await refreshApps().catch(() => {});
    ctx.refresh();
  }

  async function remove() {
    const isDone = await confirmDialog({
      title: t('settings.deleteTitle', { name: app.name }),
      text: t('settings.deleteWarning'),
      typed: app.name,
      confirm: t('settings.deleteConfirm'),
      explain,
      run: () => send('DELETE', path, { confirm: app.name }),
    });
    if (!isDone) return;
    await refreshApps().catch(() => {});
    onDelete();
  }
}

function row(title, text, button) {
  return h(
    'div',
    { class: 'danger-row' },
    h('div', { class: 'grow' }, h('h3', {}, title), h('p', { class: 'small soft' }, text)),
    button,
  );
}

/** Chooses the app that ends, shows what moves, and asks for its name. */
async function merge(ctx, onMerge) {
  const others = (await apps().catch(() => [])).filter((one) => one.id !== ctx.app.id);
  const selectId = uniqueId('merge-source');
  const typedId = uniqueId('merge-typed');
  const formId = uniqueId('merge');
  const preview = h('div', { aria: { live: 'polite' } });
  const typed = h('input', {
    class: 'input',
    id: typedId,
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    on: { input: check },
  });
  const typedLabel = h('label', { class: 'field-label', for: typedId });
  const typedField = h('div', { class: 'field', hidden: true }, typedLabel, typed);
  const problem = h('p', { class: 'field-error', role: 'alert', hidden: true });
  const button = h(
    'button',
    { type: 'submit', class: 'button danger solid', form: formId, disabled: true },
    t('settings.mergeConfirm'),
  );
  const select = h(
    'select',
    { class: 'select', id: selectId, on: { change: look } },
    h('option', { value: '' }, t('settings.mergeChoose')),
    others.map((one) => h('option', { value: one.id }, one.name)),
  );
  let source = null;
  const dialog = openDialog({
    title: t('settings.mergeTitle', { name: ctx.app.name }),
    body:
      others.length === 0
        ? h('p', { class: 'soft' }, t('settings.mergeNoOther'))
        : h(
            'form',
            { id: formId, class: 'stack', on: { submit } },
            h('p', { class: 'soft' }, t('settings.mergeText')),
            h(
              'div',
              { class: 'field' },
              h('label', { class: 'field-label', for: selectId }, t('settings.mergeSource')),
              select,
            ),
            preview,
            typedField,
            problem,
          ),
    actions: (close) =>
      [
        h('button', { type: 'button', class: 'button', on: { click: () => close() } }, t('common.cancel')),
        others.length ? button : null,
      ].filter(Boolean),
  });

  async function look() {
    const wanted = select.value;
    source = null;
    typedField.hidden = true;
    typed.value = '';
    check();
    if (!wanted) return fill(preview);
    fill(preview, h('p', { class: 'small muted' }, t('settings.mergeCounting')), skeleton({ lines: 3 }));
    try {
      const answer = await get(
        `apps/${encodeURIComponent(ctx.app.id)}/merge-preview`,
        { source: wanted },
        { signal: ctx.signal },
      );
      if (select.value !== wanted) return;
      source = answer.source;
      fill(preview, describe(ctx, answer));
      typedLabel.textContent = t('settings.mergeType', { name: source.name });
      typedField.hidden = false;
    } catch (error) {
      if (error.name !== 'AbortError' && select.value === wanted)
        fill(preview, h('p', { class: 'field-error', role: 'alert' }, explain(error)));
    }
  }

  function check() {
    button.disabled = !source || typed.value !== source.name;
  }

  async function submit(event) {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    problem.hidden = true;
    try {
      await send('POST', `apps/${encodeURIComponent(ctx.app.id)}/merge`, {
        source_app_id: source.id,
        confirm: source.name,
      });
      dialog.close();
      toast(t('settings.mergeStarted'));
      await refreshApps().catch(() => {});
      onMerge();
    } catch (error) {
      problem.textContent =
        error.code === 'conflict' && error.reason
          ? t('settings.mergeBlocked', { reason: error.reason })
          : explain(error);
      problem.hidden = false;
      check();
    }
  }
}

function describe(ctx, preview) {
  const line = (label, value) => [h('dt', {}, label), h('dd', {}, number(value))];
  return h(
    'div',
    { class: 'stack tight' },
    h(
      'dl',
      { class: 'preview-list' },
      line(t('settings.mergeEvents'), preview.events),
      line(t('settings.mergeInstalls'), preview.installs),
      line(t('settings.mergeUsers'), preview.users),
      line(t('settings.mergeShared'), preview.shared_users),
      line(t('settings.mergeKeys'), preview.write_keys),
      preview.api_keys_revoked ? line(t('settings.mergeApiKeys'), preview.api_keys_revoked) : null,
      preview.frozen_days ? line(t('settings.mergeFrozen'), preview.frozen_days) : null,
    ),
    h('p', { class: 'banner' }, t('settings.mergeAfter', { zone: ctx.app.timezone })),
  );
}
