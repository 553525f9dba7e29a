// Runs before the first paint, so that a chosen theme or language never flashes.
(() => {
  try {
    const theme = localStorage.getItem('foreground.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
    const language = localStorage.getItem('foreground.language');
    if (language) document.documentElement.lang = language;
  } catch {
    // Storage may be forbidden; the system's choice stays.
  }
})();
