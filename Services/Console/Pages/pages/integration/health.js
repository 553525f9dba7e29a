import { fill, h } from '../../core/dom.js';
import { dateTime, number, relative, timeOfDay } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { bars, barsLegend } from '../../parts/bars.js';
import { copyRequestButton } from '../../parts/copyRequest.js';
import { dataTable } from '../../parts/dataTable.js';
import { eventTable } from '../../parts/eventTable.js';
import { platformName } from '../../parts/people.js';
import { emptyState } from '../../parts/states.js';
import { reasonItem, rejectionKey, rejectionTable } from './rejections.js';

const clientsMax = 12;

/** What arrived and what was turned away in the last hours: {element, update(health)}. */
export function healthView(ctx) {
  const zone = ctx.app.timezone;
  const series = [
    { name: t('integration.acceptedName'), tone: 'tone-1' },
    { name: t('integration.rejectedName'), tone: 'tone-bad' },
  ];
  const chart = bars({ series, summary: t('integration.byHour'), columnName: t('integration.hour') });
  const events = h('div');
  const rejections = h('div');
  const reasons = h('div');
  const clients = h('div');
  const clientTable = makeClientTable();
  const element = h(
    'div',
    { class: 'stack' },
    card(
      'hours-title',
      t('integration.byHour'),
      t('integration.byHourHint', { zone }),
      h('div', { class: 'card-body' }, chart.element, barsLegend(series)),
      [
        chart.toggle,
        copyRequestButton(() => ({ path: `/v1/apps/${encodeURIComponent(ctx.app.id)}/integration/health` })),
      ],
    ),
    card('live-events-title', t('integration.events'), t('integration.eventsHint'), events),
    h(
      'div',
      { class: 'health-grid' },
      card('reasons-title', t('integration.reasons'), t('integration.reasonsHint'), reasons),
      card('clients-title', t('integration.clientsTitle'), t('integration.clientsHint'), clients),
    ),
    card('rejections-title', t('integration.rejections'), t('integration.rejectionsHint'), rejections),
  );
  const shown = new Map();
  let knownEvents = null;
  let knownRejections = null;

  /** Draws a part only when what it shows has changed, so that reading and selecting are not disturbed. */
  function when(name, value, draw) {
    const text = JSON.stringify(value);
    if (shown.get(name) === text) return;
    shown.set(name, text);
    draw();
  }

  function update(health) {
    if (!health) return;
    chart.update(
      health.points.map((point, index) => ({
        key: point.ts,
        values: [point.accepted, point.rejected],
        title: dateTime(point.ts, zone),
        isOpen: index === health.points.length - 1,
        label: (health.points.length - 1 - index) % 4 === 0 ? timeOfDay(point.ts, zone) : '',
      })),
    );
    when('events', health.events, () => {
      fill(
        events,
        health.events.length
          ? eventTable(ctx, health.events, knownEvents, { showsEnvironment: true })
          : emptyState({
              title: t('integration.noEvents'),
              text: t('integration.noEventsText'),
              iconName: 'realtime',
            }),
      );
      knownEvents = new Set(health.events.map((event) => event.insert_id));
    });
    when('rejections', health.rejections, () => {
      fill(
        rejections,
        health.rejections.length
          ? rejectionTable(health.rejections, zone, knownRejections)
          : emptyState({
              title: t('integration.noRejections'),
              text: t('integration.noRejectionsText'),
              iconName: 'check',
            }),
      );
      knownRejections = new Set(health.rejections.map(rejectionKey));
    });
    when('reasons', health.reasons, () => {
      const open = new Set([...reasons.querySelectorAll('details[open]')].map((one) => one.dataset.code));
      fill(
        reasons,
        health.reasons.length
          ? h(
              'ul',
              { class: 'reason-list' },
              health.reasons.map((reason, index) =>
                reasonItem(reason, shown.has('drawn') ? open.has(reason.code) : index === 0),
              ),
            )
          : emptyState({
              title: t('integration.noRejections'),
              text: t('integration.noRejectionsText'),
              iconName: 'check',
            }),
      );
      if (health.reasons.length) shown.set('drawn', 'yes');
    });
    when('clients', health.clients, () => {
      clientTable.setRows(health.clients);
      fill(
        clients,
        health.clients.length
          ? clientTable.element
          : emptyState({
              title: t('integration.noClients'),
              text: t('integration.noClientsText'),
              iconName: 'integration',
            }),
      );
    });
  }

  return { element, update };
}

function card(id, title, hint, body, extra = null) {
  return h(
    'section',
    { class: 'card', aria: { labelledby: id } },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id }, title),
      h('span', { class: 'small muted' }, hint),
      extra,
    ),
    body,
  );
}

function makeClientTable() {
  let most = 1;
  const table = dataTable({
    caption: t('integration.clientsTitle'),
    rows: [],
    limit: clientsMax,
    sort: { key: 'events', isDescending: true },
    columns: [
      {
        key: 'version',
        label: t('people.version'),
        value: (one) => one.app_version,
        cell: (one) => one.app_version ?? h('span', { class: 'muted' }, t('integration.withoutVersion')),
      },
      { key: 'platform', label: t('people.platform'), value: (one) => platformName(one.platform) },
      {
        key: 'events',
        label: t('integration.count'),
        isNumber: true,
        value: (one) => one.events,
        cell: (one) =>
          h(
            'span',
            { class: 'cell-bar', style: { '--share': `${(100 * one.events) / most}%` } },
            number(one.events),
          ),
      },
      {
        key: 'last_seen',
        label: t('integration.lastSeen'),
        value: (one) => one.last_seen,
        cell: (one) =>
          h(
            'time',
            { class: 'nowrap', datetime: one.last_seen, title: dateTime(one.last_seen) },
            relative(one.last_seen),
          ),
      },
    ],
  });
  return {
    element: table.element,
    setRows(items) {
      most = Math.max(1, ...items.map((one) => one.events));
      table.setRows(items);
    },
  };
}
