import { fill, h } from '../../core/dom.js';
import { number, percent, relative } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { icon } from '../../parts/icon.js';

const dayMs = 86_400_000;
const rejectedShareMax = 0.01;

/**
 * Tells at a glance whether the app's events arrive: {element, update(health)}.
 *
 * It waits for a first event and turns green by itself; screen readers hear the change.
 */
export function statusView(ctx, { openHealth }) {
  const mark = h(
    'span',
    { class: 'status-mark', aria: { hidden: 'true' } },
    icon('integration', { size: 22 }),
  );
  const title = h('h2', {}, '…');
  const text = h('p', { class: 'soft' });
  const actions = h('div', { class: 'row wrap' });
  const accepted = h('dd', { class: 'live-value number' }, '–');
  const rejected = h('dd', { class: 'live-value number' }, '–');
  const element = h(
    'section',
    { class: 'card status-card', id: 'integration-status', data: { state: 'loading' } },
    mark,
    h('div', { class: 'grow stack tight' }, h('div', { role: 'status' }, title), text, actions),
    h(
      'dl',
      { class: 'status-figures' },
      h('div', {}, h('dt', {}, t('integration.accepted')), accepted),
      h('div', {}, h('dt', {}, t('integration.rejected')), rejected),
    ),
  );
  let hasWaited = false;
  let shown = null;

  function update(health) {
    const state = stateOf(ctx, health);
    if (state === 'waiting') hasWaited = true;
    accepted.textContent = number(health.accepted);
    rejected.textContent = number(health.rejected);
    const words = describe(state, health, hasWaited);
    text.textContent = words.text;
    if (title.textContent !== words.title) title.textContent = words.title;
    if (state === shown) return;
    shown = state;
    element.dataset.state = state;
    fill(
      mark,
      icon({ waiting: 'clock', received: 'check', quiet: 'clock', archived: 'archive' }[state] ?? 'alert', {
        size: 22,
      }),
    );
    fill(actions, buttons(state, health));
  }

  function buttons(state, health) {
    const latest = health.events[0];
    const query = latest?.environment === 'development' ? '?environment=development' : '';
    return [
      state === 'received' || state === 'rejecting'
        ? h(
            'a',
            { class: 'button small', href: `/apps/${encodeURIComponent(ctx.app.id)}/realtime${query}` },
            t('integration.toRealtime'),
          )
        : null,
      state === 'rejecting' || state === 'onlyRejected'
        ? h(
            'button',
            { type: 'button', class: 'button small', on: { click: openHealth } },
            t('integration.toHealth'),
          )
        : null,
    ];
  }

  return { element, update };
}

function stateOf(ctx, health) {
  if (ctx.app.status === 'archived') return 'archived';
  if (!health.first_event_at) return health.rejected > 0 ? 'onlyRejected' : 'waiting';
  if (health.rejected > 0 && health.accepted === 0) return 'onlyRejected';
  if (Date.parse(health.as_of) - Date.parse(health.last_event_at) > dayMs && health.accepted === 0)
    return 'quiet';
  return share(health) > rejectedShareMax ? 'rejecting' : 'received';
}

function share(health) {
  return health.rejected / Math.max(1, health.accepted + health.rejected);
}

function describe(state, health, hasWaited) {
  const ago = relative(health.last_event_at);
  switch (state) {
    case 'waiting':
      return { title: t('integration.waiting'), text: t('integration.waitingText') };
    case 'received':
      return {
        title: t(hasWaited ? 'integration.firstReceived' : 'integration.received'),
        text: t('integration.receivedText', { ago }),
      };
    case 'quiet':
      return { title: t('integration.quiet'), text: t('integration.quietText', { ago }) };
    case 'rejecting':
      return {
        title: t('integration.rejecting'),
        text: t('integration.rejectingText', { share: percent(share(health), 1) }),
      };
    case 'onlyRejected':
      return {
        title: t('integration.onlyRejected'),
        text: t('integration.onlyRejectedText', { count: health.rejected }),
      };
    default:
      return { title: t('integration.archived'), text: t('integration.archivedText') };
  }
}
