import { get } from '../core/api.js';
import { fill, h } from '../core/dom.js';
import { loadWords, t } from '../core/i18n.js';
import { liveBadge } from '../parts/liveBadge.js';
import { poll } from '../parts/poll.js';
import { errorState, skeleton } from '../parts/states.js';
import { tabs } from '../parts/tabs.js';
import { connectView } from './integration/connect.js';
import { healthView } from './integration/health.js';
import { statusView } from './integration/status.js';

const pollSeconds = 3;

/** Keys and snippets to connect an app, and whether what it sends arrives. */
export const page = {
  title: () => t('integration.title'),
  async mount(root, firstCtx) {
    await loadWords('realtime');
    let ctx = firstCtx;
    let keys = null;
    let keysError = null;
    let health = null;
    let shownTab = null;
    let view = null;
    const status = statusView(ctx, { openHealth: () => ctx.setQuery({ tab: 'health' }) });
    const badge = liveBadge({ signal: ctx.signal, retry: () => feed.now() });
    const tabRow = h('div', { class: 'grow' });
    const panel = h(
      'div',
      { id: 'integration-panel', role: 'tabpanel', tabindex: '-1' },
      skeleton({ height: 220 }),
    );
    const problem = h('div', { hidden: true });
    fill(
      root,
      h(
        'div',
        { class: 'stack' },
        status.element,
        h('div', { class: 'page-bar' }, tabRow, badge.element),
        problem,
        panel,
      ),
    );
    drawTabs();
    loadKeys();

    const feed = poll(
      (signal) => get(`/v1/apps/${encodeURIComponent(ctx.app.id)}/integration/health`, {}, { signal }),
      {
        seconds: pollSeconds,
        signal: ctx.signal,
        onAnswer(answer) {
          health = answer;
          status.update(answer);
          draw();
        },
        onState(state) {
          badge.show(state);
          const hasNothing = state.kind === 'stale' && !health;
          problem.hidden = !hasNothing;
          if (hasNothing)
            fill(
              problem,
              h(
                'section',
                { class: 'card' },
                errorState(state.error, () => feed.now()),
              ),
            );
          status.element.classList.toggle('is-stale', state.kind === 'stale');
        },
      },
    );

    async function loadKeys() {
      try {
        const app = await get(`apps/${encodeURIComponent(ctx.app.id)}`, {}, { signal: ctx.signal });
        keys = app.keys.filter((key) => !key.revoked_at);
        keysError = null;
      } catch (error) {
        if (error.name === 'AbortError') return;
        keysError = error;
      }
      draw();
    }

    /** A new app connects first; later what arrives is of more interest. */
    function currentTab() {
      const wanted = ctx.query.get('tab');
      if (wanted === 'connect' || wanted === 'health') return wanted;
      // Once it is on screen it stays: a first event must not take the snippet away from under the cursor.
      if (shownTab) return shownTab;
      if (!health) return null;
      return health.first_event_at ? 'health' : 'connect';
    }

    function drawTabs() {
      const value = currentTab();
      fill(
        tabRow,
        tabs({
          label: t('integration.title'),
          value,
          panelId: 'integration-panel',
          idPrefix: 'integration-tab',
          items: [
            { value: 'connect', label: t('integration.connect') },
            { value: 'health', label: t('integration.health') },
          ],
          choose: (tab) => ctx.setQuery({ tab }),
        }),
      );
    }

    function draw() {
      const tab = currentTab();
      if (!tab) return;
      if (tab !== shownTab || !view) {
        if (tab === 'connect' && !keys) {
          fill(
            panel,
            keysError
              ? h('section', { class: 'card' }, errorState(keysError, loadKeys))
              : skeleton({ height: 320 }),
          );
          return;
        }
        const focusedId = document.activeElement?.closest('[role="tablist"]')
          ? `integration-tab-${tab}`
          : null;
        shownTab = tab;
        drawTabs();
        panel.setAttribute('aria-labelledby', `integration-tab-${tab}`);
        if (focusedId) document.getElementById(focusedId)?.focus();
        view = tab === 'connect' ? connectView(ctx, keys) : healthView(ctx);
        fill(panel, view.element);
      }
      view.update?.(health);
    }

    return {
      update(next) {
        ctx = next;
        if (currentTab() !== shownTab) view = null;
        else view?.changed?.(ctx);
        draw();
      },
    };
  },
};
