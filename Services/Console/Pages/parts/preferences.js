import { h } from '../core/dom.js';
import { language, languages, setLanguage, t } from '../core/i18n.js';
import { navigate } from '../core/router.js';
import { session, signOut } from '../core/session.js';
import { setTheme, theme } from '../core/theme.js';
import { icon } from './icon.js';
import { menu } from './menu.js';
import { explain } from './states.js';
import { toast } from './toast.js';

/** The menu of theme, language and, when signed in, account. */
export function preferencesMenu() {
  const account = session()?.account;
  const button = h(
    'button',
    {
      type: 'button',
      class: 'button quiet icon-only',
      id: 'preferences',
      aria: { label: t('shell.preferences') },
      title: account?.email ?? t('shell.preferences'),
    },
    icon(account ? 'user' : 'settings'),
  );
  return menu({ button, label: t('shell.preferences'), items });
}

function items() {
  const account = session()?.account;
  return [
    account ? { title: account.email } : null,
    account ? { label: t('shell.account'), icon: 'user', href: '/account' } : null,
    account ? { separator: true } : null,
    { title: t('shell.theme') },
    ...['system', 'light', 'dark'].map((name) => ({
      label: t(`shell.theme${name[0].toUpperCase()}${name.slice(1)}`),
      checked: theme() === name,
      on: () => setTheme(name),
    })),
    { separator: true },
    { title: t('shell.language') },
    ...Object.entries(languages).map(([code, name]) => ({
      label: name,
      checked: language() === code,
      on: () => choose(code),
    })),
    account ? { separator: true } : null,
    account ? { label: t('shell.signOut'), icon: 'signOut', on: leave } : null,
  ].filter(Boolean);
}

async function choose(code) {
  await setLanguage(code);
  document.dispatchEvent(new CustomEvent('foreground:rebuild'));
}

async function leave() {
  try {
    await signOut();
    navigate('/sign-in', { replace: true });
  } catch (error) {
    toast(explain(error));
  }
}
