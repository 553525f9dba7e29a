import { get } from '../core/api.js';
import { fill, h } from '../core/dom.js';
import { number, relative, timeOfDay } from '../core/format.js';
import { t } from '../core/i18n.js';
import { bars } from '../parts/bars.js';
import { copyRequestButton } from '../parts/copyRequest.js';
import { eventTable } from '../parts/eventTable.js';
import { liveBadge } from '../parts/liveBadge.js';
import { poll } from '../parts/poll.js';
import { emptyState, errorState, skeleton } from '../parts/states.js';

const pollSeconds = 4;

/** Who is there now: people active in the last half hour, sessions by minute and the latest events, as they come. */
export const page = {
  title: () => t('realtime.title'),
  async mount(root, ctx) {
    const zone = ctx.app.timezone;
    const now = figure(t('realtime.activeNow'), t('realtime.activeHint'));
    const sessions = figure(t('realtime.sessions'), t('realtime.sessionsHint'));
    const latest = figure(t('realtime.lastEvent'), t('realtime.lastEventHint'));
    const chart = bars({
      series: [{ name: t('realtime.sessions'), tone: 'tone-1' }],
      summary: t('realtime.perMinuteSummary'),
      columnName: t('realtime.minute'),
    });
    const list = h('div', {}, h('div', { class: 'card-body' }, skeleton({ lines: 6 })));
    const listHint = h('span', { class: 'small muted' });
    const problem = h('div', { hidden: true });
    const body = h(
      'div',
      { class: 'stack' },
      h('dl', { class: 'live-tiles' }, now.element, sessions.element, latest.element),
      h(
        'section',
        { class: 'card', aria: { labelledby: 'minutes-title' } },
        h(
          'div',
          { class: 'card-head' },
          h('h2', { id: 'minutes-title' }, t('realtime.perMinute')),
          h('span', { class: 'small muted' }, t('realtime.zone', { zone })),
          chart.toggle,
          copyRequestButton(request),
        ),
        h('div', { class: 'card-body' }, chart.element),
      ),
      h(
        'section',
        { class: 'card', aria: { labelledby: 'events-title' } },
        h('div', { class: 'card-head' }, h('h2', { id: 'events-title' }, t('realtime.events')), listHint),
        list,
      ),
    );
    const badge = liveBadge({ signal: ctx.signal, retry: () => feed.now() });
    const pause = h(
      'button',
      { type: 'button', class: 'button small', aria: { pressed: 'false' }, on: { click: flip } },
      t('realtime.pause'),
    );
    fill(
      root,
      h('div', { class: 'stack' }, h('div', { class: 'page-bar' }, badge.element, pause), problem, body),
    );

    let known = null;
    let isPaused = false;
    let lastEventAt = null;
    const feed = poll((signal) => get(request().path, request().params, { signal }), {
      seconds: pollSeconds,
      signal: ctx.signal,
      onAnswer: draw,
      onState,
    });
    const clock = setInterval(tick, 1000);

    function request() {
      return {
        path: `/v1/apps/${encodeURIComponent(ctx.app.id)}/realtime`,
        params: { environment: ctx.environment, platform: ctx.query.getAll('platform') },
      };
    }

    function flip() {
      isPaused = !isPaused;
      pause.setAttribute('aria-pressed', String(isPaused));
      pause.textContent = t(isPaused ? 'realtime.resume' : 'realtime.pause');
      if (isPaused) feed.pause();
      else feed.resume();
    }

    function onState(state) {
      badge.show(state);
      body.classList.toggle('is-stale', state.kind === 'stale' && state.at !== null);
      const hasNothing = state.kind === 'stale' && state.at === null;
      problem.hidden = !hasNothing;
      body.hidden = hasNothing;
      if (hasNothing)
        fill(
          problem,
          errorState(state.error, () => feed.now()),
        );
    }

    function draw(answer) {
      now.set(number(answer.active_now));
      sessions.set(number(answer.points.reduce((sum, point) => sum + point.sessions, 0)));
      lastEventAt = answer.events[0]?.event_time ?? null;
      tick();
      chart.update(
        answer.points.map((point, index) => ({
          key: point.minute,
          values: [point.sessions],
          isOpen: index === answer.points.length - 1,
          title: timeOfDay(point.minute, zone),
          label: (answer.points.length - 1 - index) % 5 === 0 ? timeOfDay(point.minute, zone) : '',
        })),
      );
      listHint.textContent = answer.events.length
        ? t('realtime.eventsHint', { count: answer.events.length })
        : '';
      drawEvents(answer.events);
    }

    function tick() {
      latest.set(lastEventAt ? relative(lastEventAt) : '–');
    }

    function drawEvents(events) {
      const ids = new Set(events.map((event) => event.insert_id));
      if (known && events.length === known.size && events.every((event) => known.has(event.insert_id)))
        return;
      fill(list, events.length ? eventTable(ctx, events, known) : nothing(ctx));
      known = ids;
    }

    return () => clearInterval(clock);
  },
};

function figure(label, hint) {
  const value = h('dd', { class: 'live-value number' }, '–');
  return {
    element: h(
      'div',
      { class: 'live-tile' },
      h('dt', {}, label),
      value,
      h('dd', { class: 'small muted' }, hint),
    ),
    set: (text) => {
      if (value.textContent !== text) value.textContent = text;
    },
  };
}

function nothing(ctx) {
  const other = ctx.environment === 'production' ? 'development' : 'production';
  return emptyState({
    title: t('realtime.noEvents'),
    text: t('realtime.noEventsText'),
    iconName: 'realtime',
    actions: [
      h(
        'a',
        { class: 'button primary', href: `/apps/${encodeURIComponent(ctx.app.id)}/integration` },
        t('realtime.toIntegration'),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'button',
          on: { click: () => ctx.setQuery({ environment: other === 'production' ? null : other }) },
        },
        t('realtime.otherEnvironment', { environment: t(`people.${other}`) }),
      ),
    ],
  });
}
