import { get } from '../../core/api.js';
import { fill, h } from '../../core/dom.js';
import { relative } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { refreshApps } from '../../core/session.js';
import { poll } from '../../parts/poll.js';
import { emptyState } from '../../parts/states.js';
import { toast } from '../../parts/toast.js';

/**
 * Shows merges into this app and its own deletion while they run: {element, follow}.
 *
 * `follow` asks once and, as long as something runs, goes on asking.
 */
export function changesCard(ctx) {
  const element = h('div', { class: 'stack', role: 'status', hidden: true });
  let feed = null;
  const running = new Map();

  function follow() {
    if (feed) return feed.now();
    feed = poll((signal) => get('changes', {}, { signal }), {
      seconds: 2,
      signal: ctx.signal,
      onAnswer: draw,
      onState,
    });
    return feed;
  }

  function onState(state) {
    // Without the list nothing is known to run; what did run stays on screen until there is an answer.
    if (state.kind === 'stale' && !running.size) stop();
  }

  function stop() {
    feed?.stop();
    feed = null;
  }

  function draw(answer) {
    const own = answer.items.filter(
      (item) => item.app_id === ctx.app.id || item.target_app_id === ctx.app.id,
    );
    const ended = [...running.values()].filter(
      (before) => !own.some((item) => item.app_id === before.app_id),
    );
    running.clear();
    for (const item of own) running.set(item.app_id, item);
    for (const item of ended) end(item);
    if (!own.length) stop();
    if (own.length) {
      element.hidden = false;
      fill(element, own.map(card));
    } else if (!ended.some((item) => item.kind === 'deletion')) {
      element.hidden = true;
      fill(element);
    }
  }

  function end(item) {
    refreshApps().catch(() => {});
    if (item.kind === 'merge') {
      toast(t('settings.mergeDone', { name: item.app_name }));
      return;
    }
    element.hidden = false;
    fill(
      element,
      h(
        'section',
        { class: 'card' },
        emptyState({
          title: t('settings.deletedTitle', { name: item.app_name }),
          text: t('settings.deletedText'),
          iconName: 'check',
          actions: h('a', { class: 'button primary', href: '/' }, t('settings.toPortfolio')),
        }),
      ),
    );
  }

  return { element, follow };
}

function card(item) {
  const title = t(item.kind === 'merge' ? 'settings.merging' : 'settings.deleting', { name: item.app_name });
  return h(
    'section',
    { class: 'card progress-card', data: { kind: item.kind } },
    h('h2', {}, title),
    h('div', { class: 'progress-line is-unknown', role: 'progressbar', aria: { label: title } }, h('span')),
    h(
      'p',
      { class: 'small soft number' },
      `${t('settings.rowsDone', { count: item.rows_done ?? 0 })} · ${t('settings.began', { ago: relative(item.started_at) })}`,
    ),
    item.error ? h('p', { class: 'banner bad' }, t('settings.changeError', { error: item.error })) : null,
    h('p', { class: 'small muted' }, t('settings.goesOn')),
  );
}
