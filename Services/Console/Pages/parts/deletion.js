import { get } from '../core/api.js';
import { fill, h } from '../core/dom.js';
import { dateTime } from '../core/format.js';
import { t } from '../core/i18n.js';
import { icon } from './icon.js';
import { poll } from './poll.js';
import { emptyState, errorState, skeleton, staleBanner } from './states.js';

const steps = ['pending', 'running', 'done'];

/**
 * Shows how far the deletion of a person has come, until it is done.
 *
 * The first answer is awaited, so that a page can be announced whole; later ones come every two seconds while the page is looked at.
 */
export function followDeletion(root, ctx, requestId, { again }) {
  const path = `/v1/apps/${encodeURIComponent(ctx.app.id)}/deletion-requests/${encodeURIComponent(requestId)}`;
  fill(root, skeleton({ height: 220 }));
  return new Promise((resolve) => {
    let shown = null;
    const feed = poll((signal) => get(path, {}, { signal }), {
      seconds: 2,
      signal: ctx.signal,
      onAnswer(request) {
        if (request.status !== shown) fill(root, card(ctx, request, again));
        shown = request.status;
        if (request.status === 'done' || request.status === 'failed') feed.stop();
        resolve();
      },
      onState(state) {
        if (state.kind !== 'stale') return;
        const isGone = state.error.status === 404 || state.error.status === 400;
        if (isGone) feed.stop();
        fill(
          root,
          isGone
            ? h(
                'section',
                { class: 'card' },
                emptyState({
                  title: t('person.deletionGone'),
                  text: '',
                  iconName: 'search',
                  actions: toProfiles(ctx),
                }),
              )
            : h(
                'section',
                { class: 'card' },
                shown
                  ? staleBanner(state.error, () => feed.now())
                  : errorState(state.error, () => feed.now()),
              ),
        );
        shown = null;
        resolve();
      },
    });
    ctx.signal.addEventListener('abort', resolve, { once: true });
  });
}

function toProfiles(ctx) {
  return h(
    'a',
    { class: 'button', href: `/apps/${encodeURIComponent(ctx.app.id)}/profiles` },
    t('person.toProfiles'),
  );
}

function card(ctx, request, again) {
  const zone = ctx.app.timezone;
  const at = { pending: request.requested_at, running: request.started_at, done: request.completed_at };
  const reached = request.status === 'failed' ? 1 : steps.indexOf(request.status);
  const title =
    { done: 'person.deletionDone', failed: 'person.deletionFailed' }[request.status] ?? 'person.deletion';
  const text = {
    done: t('person.deletionDoneText'),
    failed: request.error ?? '',
    pending: t('person.pendingText'),
    running: t('person.runningText'),
  }[request.status];
  return h(
    'section',
    { class: ['card', 'progress-card'], data: { status: request.status }, role: 'status' },
    h(
      'div',
      { class: 'row' },
      h(
        'span',
        { class: 'progress-mark' },
        icon({ done: 'check', failed: 'alert' }[request.status] ?? 'trash', { size: 20 }),
      ),
      h('h2', {}, t(title)),
    ),
    h('p', { class: 'soft' }, text),
    h(
      'ol',
      { class: 'steps' },
      steps.map((step, index) =>
        h(
          'li',
          {
            class: [
              index < reached || request.status === 'done'
                ? 'is-done'
                : index === reached
                  ? request.status === 'failed'
                    ? 'is-failed'
                    : 'is-current'
                  : null,
            ],
            aria: { current: index === reached ? 'step' : null },
          },
          h(
            'span',
            { class: 'step-mark', aria: { hidden: 'true' } },
            index < reached || request.status === 'done' ? icon('check', { size: 12 }) : null,
          ),
          h('span', {}, t(`person.step_${step}`)),
          at[step]
            ? h(
                'time',
                { class: 'small muted', datetime: at[step] },
                dateTime(at[step], zone, { seconds: true }),
              )
            : null,
        ),
      ),
    ),
    h('p', { class: 'small muted mono' }, `${t('person.request')} ${request.id}`),
    h(
      'div',
      { class: 'row wrap' },
      request.status === 'failed'
        ? h(
            'button',
            { type: 'button', class: 'button danger', on: { click: again } },
            t('person.deletionAgain'),
          )
        : null,
      toProfiles(ctx),
    ),
  );
}
