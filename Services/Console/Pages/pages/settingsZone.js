import { get, send, serverNow } from '../core/api.js';
import { debounce, fill, h, uniqueId } from '../core/dom.js';
import { dayRange, timeOfDay } from '../core/format.js';
import { t } from '../core/i18n.js';
import { refreshApps } from '../core/session.js';
import { confirmDialog } from '../parts/dialog.js';
import { poll } from '../parts/poll.js';
import { section } from '../parts/section.js';
import { errorState, explain, skeleton } from '../parts/states.js';
import { toast } from '../parts/toast.js';

/** The zone whose midnights begin the app's days: a change is previewed, confirmed and followed. */
export function zoneSection(ctx) {
  const path = `apps/${encodeURIComponent(ctx.app.id)}/timezone`;
  const body = h('div', { class: 'card-body stack' }, skeleton({ lines: 2 }));
  let zones = [];
  let wasChanging = false;
  load();
  return section({ id: 'timezone', title: t('settings.timezone'), hint: t('settings.timezoneHint') }, body);

  async function load() {
    try {
      const [state, known] = await Promise.all([get(path, {}, { signal: ctx.signal }), get('timezones', {}, { signal: ctx.signal })]);
      zones = known.items;
      draw(state);
    } catch (error) {
      if (error.name !== 'AbortError') fill(body, errorState(error, load));
    }
  }

  function draw(state) {
    if (state.change) {
      wasChanging = true;
      follow(state);
    } else fill(body, current(state.timezone), form(state.timezone));
  }

  function current(zone) {
    return h('p', {}, h('span', { class: 'strong', id: 'zone-now' }, zone), ' ', h('span', { class: 'soft' }, t('settings.timezoneNow', { time: timeOfDay(serverNow().toISOString(), zone) })));
  }

  function form(zone) {
    const id = uniqueId('zone');
    const input = h('input', { class: 'input', id, name: 'timezone', list: `${id}-list`, autocomplete: 'off', spellcheck: 'false', placeholder: zone, aria: { describedby: `${id}-preview` } });
    const preview = h('div', { id: `${id}-preview`, class: 'stack tight', aria: { live: 'polite' } });
    const button = h('button', { type: 'submit', class: 'button primary', disabled: true }, t('settings.apply'));
    let asked = null;
    const look = debounce(async () => {
      const wanted = input.value.trim();
      asked = wanted;
      button.disabled = true;
      if (!wanted || wanted === zone) return fill(preview);
      if (!zones.includes(wanted)) return fill(preview, h('p', { class: 'field-hint' }, t('settings.timezoneUnknown')));
      fill(preview, h('p', { class: 'field-hint' }, t('settings.previewing')));
      try {
        const answer = await get(path, { preview: wanted }, { signal: ctx.signal });
        if (asked !== wanted) return;
        fill(preview, describe(answer.preview));
        button.disabled = false;
      } catch (error) {
        if (error.name !== 'AbortError' && asked === wanted) fill(preview, h('p', { class: 'field-error' }, explain(error)));
      }
    }, 250);
    input.addEventListener('input', look);
    return h('form', { class: 'stack', on: { submit: (event) => { event.preventDefault(); apply(input.value.trim(), preview); } } },
      h('div', { class: 'form-row' }, h('div', { class: 'field' }, h('label', { class: 'field-label', for: id }, t('settings.timezoneChoose')), input,
        h('datalist', { id: `${id}-list` }, zones.map((name) => h('option', { value: name })))), button),
      preview);
  }

  function describe(preview) {
    if (!preview || preview.days === 0) return h('p', { class: 'banner info' }, t('settings.previewNone'));
    return h('div', { class: 'banner' }, h('span', {}, h('strong', {}, t('settings.previewDays', { count: preview.days, days: dayRange(preview.first_day, preview.last_day) })), ' ', t('settings.previewText')));
  }

  async function apply(zone, preview) {
    let state = null;
    const isDone = await confirmDialog({
      title: t('settings.changeTitle', { zone }), text: preview.textContent, confirm: t('settings.apply'), danger: false, explain,
      run: async () => { state = await send('PUT', path, { timezone: zone }); },
    });
    if (!isDone) return;
    wasChanging = true;
    if (state?.change) follow(state);
    else finish(state ?? await get(path, {}, { signal: ctx.signal }));
  }

  function follow(first) {
    show(first);
    const feed = poll((signal) => get(path, {}, { signal }), {
      seconds: 2, signal: ctx.signal,
      onAnswer(state) {
        if (state.change) return show(state);
        feed.stop();
        finish(state);
      },
    });
  }

  function show({ timezone, change }) {
    const total = change.days_total ?? 0;
    const share = total > 0 ? change.days_done / total : 0;
    fill(body, h('p', { class: 'strong' }, t('settings.rebuilding', { zone: change.timezone })),
      h('div', {
        class: ['progress-line', total === 0 && 'is-unknown'], role: 'progressbar',
        aria: { label: t('settings.rebuilding', { zone: change.timezone }), valuemin: '0', valuemax: String(total), valuenow: String(change.days_done ?? 0) },
      }, h('span', { style: { width: `${share * 100}%` } })),
      total > 0 ? h('p', { class: 'small number' }, t('settings.rebuildingDays', { done: change.days_done, total })) : null,
      change.error ? h('p', { class: 'banner bad' }, t('settings.rebuildError', { error: change.error })) : null,
      h('p', { class: 'small soft' }, t('settings.rebuildingText', { zone: timezone })));
  }

  async function finish(state) {
    if (wasChanging) toast(t('settings.rebuilt', { zone: state.timezone }));
    wasChanging = false;
    draw(state);
    await refreshApps().catch(() => {});
  }
}
