import { send } from '../core/api.js';
import { fill, h } from '../core/dom.js';
import { dateTime } from '../core/format.js';
import { language, languages, setLanguage, t } from '../core/i18n.js';
import { passwordCharactersMin } from '../core/passwords.js';
import { navigate } from '../core/router.js';
import { session, setSession, signOut } from '../core/session.js';
import { setTheme, theme } from '../core/theme.js';
import { confirmDialog } from '../parts/dialog.js';
import { field } from '../parts/field.js';
import { explain } from '../parts/states.js';
import { segments } from '../parts/tabs.js';
import { toast } from '../parts/toast.js';

/** The signed-in member's own: password, sessions, appearance. */
export const page = {
  title: () => t('account.title'),
  async mount(root) {
    fill(root, h('div', { class: 'stack column' }, who(), password(), appearance(), everywhere()));
  },
};

function card(id, title, hint, ...body) {
  return h(
    'section',
    { class: 'card', aria: { labelledby: id } },
    h('div', { class: 'card-head' }, h('h2', { id }, title)),
    h('div', { class: 'card-body stack' }, hint ? h('p', { class: 'small soft' }, hint) : null, body),
  );
}

function who() {
  const { account } = session();
  return h(
    'section',
    { class: 'card person-head' },
    h(
      'div',
      { class: 'grow' },
      h('div', { class: 'small muted' }, t('account.signedInAs')),
      h('div', { class: 'strong wrap-anywhere' }, account.email),
      h('div', { class: 'small muted' }, t('account.since', { day: dateTime(account.created_at) })),
    ),
    h('button', { type: 'button', class: 'button', on: { click: leave } }, t('account.signOut')),
  );
}

async function leave() {
  try {
    await signOut();
    navigate('/sign-in', { replace: true });
  } catch (error) {
    toast(explain(error));
  }
}

function password() {
  const current = field({
    label: t('account.current'),
    type: 'password',
    name: 'current-password',
    autocomplete: 'current-password',
    required: true,
  });
  const fresh = field({
    label: t('account.fresh'),
    hint: t('account.freshHint', { count: passwordCharactersMin }),
    type: 'password',
    name: 'new-password',
    autocomplete: 'new-password',
    required: true,
  });
  const repeat = field({
    label: t('account.repeat'),
    type: 'password',
    name: 'repeat-password',
    autocomplete: 'new-password',
    required: true,
  });
  const fields = [current, fresh, repeat];
  const button = h('button', { type: 'submit', class: 'button primary' }, t('account.change'));
  const show = h('input', {
    type: 'checkbox',
    on: {
      change: () => {
        for (const one of fields) one.input.type = show.checked ? 'text' : 'password';
      },
    },
  });

  async function submit(event) {
    event.preventDefault();
    if ([...fresh.input.value].length < passwordCharactersMin)
      return fresh.fail(t('account.tooShort', { count: passwordCharactersMin }));
    if (fresh.input.value !== repeat.input.value) return repeat.fail(t('account.mismatch'));
    button.disabled = true;
    try {
      // Changing it ends the other sessions and starts a new one here.
      const answer = await send('PUT', 'password', {
        current_password: current.input.value,
        password: fresh.input.value,
      });
      setSession(answer);
      event.target.reset();
      for (const one of fields) one.input.type = 'password';
      toast(t('account.changed'));
    } catch (error) {
      if (error.code === 'invalid_credentials' || error.field === 'current_password')
        current.fail(t('account.wrongCurrent'));
      else (error.field === 'password' ? fresh : current).fail(explain(error));
    } finally {
      button.disabled = false;
    }
  }

  return card(
    'password-title',
    t('account.password'),
    t('account.passwordHint'),
    h(
      'form',
      { class: 'stack', on: { submit } },
      h('input', {
        type: 'text',
        name: 'username',
        autocomplete: 'username',
        value: session().account.email,
        hidden: true,
      }),
      current.element,
      fresh.element,
      repeat.element,
      h('div', { class: 'row wrap' }, button, h('label', { class: 'check small' }, show, t('account.show'))),
    ),
  );
}

function appearance() {
  const themeRow = h('div');
  const drawTheme = () =>
    fill(
      themeRow,
      segments({
        label: t('account.theme'),
        value: theme(),
        idPrefix: 'theme',
        choose: (name) => {
          setTheme(name);
          drawTheme();
          document.getElementById(`theme-${name}`)?.focus();
        },
        items: ['system', 'light', 'dark'].map((name) => ({
          value: name,
          label: t(`account.theme${name[0].toUpperCase()}${name.slice(1)}`),
        })),
      }),
    );
  drawTheme();
  return card(
    'appearance-title',
    t('account.appearance'),
    t('account.appearanceHint'),
    h(
      'dl',
      { class: 'facts' },
      h('dt', {}, t('account.theme')),
      h('dd', {}, themeRow),
      h('dt', {}, t('account.language')),
      h(
        'dd',
        {},
        segments({
          label: t('account.language'),
          value: language(),
          idPrefix: 'language',
          items: Object.entries(languages).map(([value, label]) => ({ value, label })),
          choose: async (code) => {
            await setLanguage(code);
            document.dispatchEvent(new CustomEvent('foreground:rebuild'));
          },
        }),
      ),
    ),
  );
}

function everywhere() {
  return card(
    'everywhere-title',
    t('account.everywhere'),
    t('account.everywhereHint'),
    h(
      'div',
      {},
      h(
        'button',
        { type: 'button', class: 'button danger', id: 'sign-out-everywhere', on: { click: ask } },
        t('account.everywhere'),
      ),
    ),
  );

  async function ask() {
    const isDone = await confirmDialog({
      title: t('account.everywhereTitle'),
      text: t('account.everywhereText'),
      confirm: t('account.everywhere'),
      explain,
      run: () => signOut({ everywhere: true }),
    });
    if (isDone) navigate('/sign-in', { replace: true });
  }
}
