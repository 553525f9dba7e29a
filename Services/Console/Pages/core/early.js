// Runs before the first paint, so that a theme or language never flashes.
(() => {
  const root = document.documentElement;
  let theme = null;
  try {
    theme = localStorage.getItem('foreground.theme');
    const language = localStorage.getItem('foreground.language');
    if (language) root.lang = language;
  } catch {
    // Storage may be forbidden; the system's choice stays.
  }
  const isDark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = theme === 'light' || theme === 'dark' ? theme : isDark ? 'dark' : 'light';
})();
