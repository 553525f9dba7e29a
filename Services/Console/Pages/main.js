import { setOnSignedOut } from './core/api.js';
import { language, loadWords } from './core/i18n.js';
import { navigate, onNavigate, setRoutes, startRouter } from './core/router.js';
import { routes } from './core/routes.js';
import { loadFacts, loadSession, session, setSession } from './core/session.js';
import { watchTheme } from './core/theme.js';
import { remount, show } from './core/view.js';
import { makeShell } from './parts/shell.js';
import { startShortcuts } from './parts/shortcuts.js';
import { errorState } from './parts/states.js';

async function start() {
  document.documentElement.lang = language();
  await loadWords('common');
  watchTheme();
  const shell = makeShell();
  try {
    await Promise.all([loadSession(), loadFacts()]);
  } catch (error) {
    shell.fail(errorState(error, () => window.location.reload()));
    return;
  }
  setRoutes(routes);
  setOnSignedOut(() => {
    if (!session()) return;
    setSession(null);
    const next = window.location.pathname + window.location.search;
    navigate(`/sign-in?next=${encodeURIComponent(next)}`, { replace: true });
  });
  onNavigate((change) => show(change, shell));
  document.addEventListener('foreground:remount', () => remount(shell));
  document.addEventListener('foreground:rebuild', () => {
    shell.rebuild();
    remount(shell);
  });
  startRouter();
  startShortcuts();
  await show({ url: new URL(window.location.href), isBack: true }, shell);
}

start();
