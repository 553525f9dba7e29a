import { get, send } from '../core/api.js';
import { fill, h, uniqueId } from '../core/dom.js';
import { dateTime, relative } from '../core/format.js';
import { t } from '../core/i18n.js';
import { session, setSession } from '../core/session.js';
import { navigate } from '../core/router.js';
import { confirmDialog, openDialog } from '../parts/dialog.js';
import { field } from '../parts/field.js';
import { icon } from '../parts/icon.js';
import { secretOnce } from '../parts/secretOnce.js';
import { stackedTable } from '../parts/stackedTable.js';
import { errorState, explain, skeleton } from '../parts/states.js';
import { toast } from '../parts/toast.js';

/** Who may sign in: invited by a link that is shown once, and removed. */
export const page = {
  title: () => t('members.title'),
  async mount(root, ctx) {
    const card = h(
      'section',
      { class: 'card', aria: { label: t('members.title') } },
      h('div', { class: 'card-body' }, skeleton({ lines: 3 })),
    );
    const inviteButton = h(
      'button',
      { type: 'button', class: 'button primary', id: 'invite', on: { click: invite } },
      icon('plus'),
      t('members.invite'),
    );
    fill(
      root,
      h(
        'div',
        { class: 'stack' },
        h('div', { class: 'page-bar' }, h('p', { class: 'intro grow' }, t('members.intro')), inviteButton),
        card,
      ),
    );
    await load();

    async function load() {
      try {
        fill(card, table((await get('members', {}, { signal: ctx.signal })).items, load));
      } catch (error) {
        if (error.name !== 'AbortError') fill(card, errorState(error, load));
      }
    }
  },
};

function table(members, reload) {
  const own = session()?.account.id;
  return stackedTable(
    t('members.title'),
    h(
      'table',
      { class: 'table' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['email', 'joined', 'signedIn'].map((name) => h('th', { scope: 'col' }, t(`members.${name}`))),
          h('th', {}, h('span', { class: 'visually-hidden' }, t('common.actions'))),
        ),
      ),
      h(
        'tbody',
        {},
        members.map((member) =>
          h(
            'tr',
            { data: { email: member.email } },
            h(
              'th',
              { scope: 'row' },
              h(
                'span',
                { class: 'row wrap' },
                member.email,
                member.id === own ? h('span', { class: 'badge accent' }, t('members.you')) : null,
              ),
            ),
            h(
              'td',
              { class: 'nowrap' },
              h('time', { datetime: member.created_at }, dateTime(member.created_at)),
            ),
            h(
              'td',
              { class: 'nowrap' },
              member.signed_in_at
                ? h(
                    'time',
                    { datetime: member.signed_in_at, title: dateTime(member.signed_in_at) },
                    relative(member.signed_in_at),
                  )
                : t('members.never'),
            ),
            h(
              'td',
              { class: 'row-actions' },
              members.length > 1
                ? h(
                    'button',
                    {
                      type: 'button',
                      class: 'button small danger',
                      aria: { label: `${t('members.remove')} ${member.email}` },
                      on: { click: () => remove(member, member.id === own, reload) },
                    },
                    t('members.remove'),
                  )
                : h('span', { class: 'small muted' }, t('members.lastStays')),
            ),
          ),
        ),
      ),
    ),
  );
}

async function remove(member, isSelf, reload) {
  const isDone = await confirmDialog({
    title: t('members.removeTitle', { email: member.email }),
    text: [t('members.removeText'), isSelf ? t('members.removeSelf') : null].filter(Boolean),
    typed: isSelf ? member.email : null,
    confirm: t('members.removeConfirm'),
    explain,
    run: () => send('DELETE', `members/${encodeURIComponent(member.id)}`),
  });
  if (!isDone) return;
  if (isSelf) {
    setSession(null);
    navigate('/sign-in', { replace: true });
    return;
  }
  toast(t('members.removedToast', { email: member.email }));
  await reload();
}

function invite() {
  const email = field({
    label: t('members.email'),
    hint: t('members.inviteHint'),
    type: 'email',
    name: 'email',
    autocomplete: 'off',
    required: true,
    maxlength: '254',
  });
  const formId = uniqueId('invite');
  const button = h(
    'button',
    { type: 'submit', class: 'button primary', form: formId },
    t('members.makeLink'),
  );
  const dialog = openDialog({
    title: t('members.inviteTitle'),
    body: h('form', { id: formId, class: 'stack', on: { submit } }, email.element),
    actions: (close) => [
      h('button', { type: 'button', class: 'button', on: { click: () => close() } }, t('common.cancel')),
      button,
    ],
  });

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    try {
      const link = await send('POST', 'members', { email: email.input.value.trim() });
      dialog.close();
      openDialog({
        title: t('members.linkTitle', { email: link.email }),
        canDismiss: false,
        body: secretOnce({
          label: t('members.linkLabel'),
          value: window.location.origin + link.path,
          text: t('members.linkText'),
        }),
        actions: (close) =>
          h(
            'button',
            { type: 'button', class: 'button primary', on: { click: () => close() } },
            t('members.done'),
          ),
      });
    } catch (error) {
      email.fail(
        error.code === 'conflict'
          ? t('members.taken')
          : error.field === 'email'
            ? t('members.badAddress')
            : explain(error),
      );
      button.disabled = false;
    }
  }
}
