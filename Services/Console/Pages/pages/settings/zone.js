import { get, send, serverNow } from '../../core/api.js';
import { debounce, fill, h } from '../../core/dom.js';
import { dayRange, timeOfDay } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { refreshApps } from '../../core/session.js';
import { confirmDialog } from '../../parts/dialog.js';
import { poll } from '../../parts/poll.js';
import { section } from '../../parts/section.js';
import { errorState, explain, skeleton } from '../../parts/states.js';
import { toast } from '../../parts/toast.js';
import { zonePicker } from '../../parts/zonePicker.js';

/** The zone whose midnights begin the app's days: a change is previewed, confirmed and followed. */
export function zoneSection(ctx) {
  const path = `apps/${encodeURIComponent(ctx.app.id)}/timezone`;
  const body = h('div', { class: 'card-body stack' }, skeleton({ lines: 2 }));
  let feed = null;
  let wanted = null;
  load();
  return section({ id: 'timezone', title: t('settings.timezone'), hint: t('settings.timezoneHint') }, body);

  async function load() {
    try {
      draw(await get(path, {}, { signal: ctx.signal }));
    } catch (error) {
      if (error.name !== 'AbortError') fill(body, errorState(error, load));
    }
  }

  function draw(state) {
    if (state.change) {
      follow(state);
    } else fill(body, current(state.timezone), form(state.timezone));
  }

  function current(zone) {
    return h(
      'p',
      {},
      h('span', { class: 'strong', id: 'zone-now' }, zone),
      ' ',
      h(
        'span',
        { class: 'soft' },
        t('settings.timezoneNow', { time: timeOfDay(serverNow().toISOString(), zone) }),
      ),
    );
  }

  function form(zone) {
    const preview = h('div', { class: 'stack tight', aria: { live: 'polite' } });
    const button = h(
      'button',
      { type: 'submit', class: 'button primary', disabled: true },
      t('settings.apply'),
    );
    const look = debounce(async (wanted) => {
      button.disabled = true;
      if (!wanted || wanted === zone) return fill(preview);
      fill(preview, h('p', { class: 'field-hint' }, t('settings.previewing')));
      try {
        const answer = await get(path, { preview: wanted }, { signal: ctx.signal });
        if (picker.value !== wanted) return;
        fill(preview, describe(answer.preview));
        button.disabled = false;
      } catch (error) {
        if (error.name !== 'AbortError' && picker.value === wanted)
          fill(preview, h('p', { class: 'field-error' }, explain(error)));
      }
    }, 250);
    const picker = zonePicker({ label: t('settings.timezoneChoose'), value: zone, onChange: look });
    const submit = (event) => {
      event.preventDefault();
      if (picker.value) apply(picker.value, preview.textContent);
      else picker.fail(t('settings.timezoneUnknown'));
    };
    return h(
      'form',
      { class: 'stack', on: { submit } },
      h('div', { class: 'form-row' }, picker.element, button),
      preview,
    );
  }

  function describe(preview) {
    if (!preview || preview.days === 0) return h('p', { class: 'banner info' }, t('settings.previewNone'));
    return h(
      'div',
      { class: 'banner' },
      h(
        'span',
        {},
        h(
          'strong',
          {},
          t('settings.previewDays', {
            count: preview.days,
            days: dayRange(preview.first_day, preview.last_day),
          }),
        ),
        ' ',
        t('settings.previewText'),
      ),
    );
  }

  async function apply(zone, text) {
    let state = null;
    const isDone = await confirmDialog({
      title: t('settings.changeTitle', { zone }),
      text,
      confirm: t('settings.apply'),
      danger: false,
      explain,
      run: async () => {
        state = await send('PUT', path, { timezone: zone });
      },
    });
    if (!isDone) return;
    if (state?.change) follow(state);
    else finish(state ?? (await get(path, {}, { signal: ctx.signal })));
  }

  function follow(first) {
    show(first);
    wanted = first.change.timezone;
    feed = poll((signal) => get(path, {}, { signal }), {
      seconds: 2,
      signal: ctx.signal,
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
    const hasFocus = body.contains(document.activeElement);
    fill(
      body,
      h('p', { class: 'strong' }, t('settings.rebuilding', { zone: change.timezone })),
      h(
        'div',
        {
          class: ['progress-line', total === 0 && 'is-unknown'],
          role: 'progressbar',
          aria: {
            label: t('settings.rebuilding', { zone: change.timezone }),
            valuemin: '0',
            valuemax: String(total),
            valuenow: String(change.days_done ?? 0),
          },
        },
        h('span', { style: { width: `${share * 100}%` } }),
      ),
      total > 0
        ? h('p', { class: 'small number' }, t('settings.rebuildingDays', { done: change.days_done, total }))
        : null,
      change.error
        ? h('p', { class: 'banner bad' }, t('settings.rebuildError', { error: change.error }))
        : null,
      h('p', { class: 'small soft' }, t('settings.rebuildingText', { zone: timezone })),
      h(
        'div',
        {},
        h(
          'button',
          {
            type: 'button',
            class: 'button small',
            on: { click: (event) => callOff(event.target, timezone) },
          },
          t('settings.callOff'),
        ),
      ),
    );
    if (hasFocus) body.querySelector('button').focus({ preventScroll: true });
  }

  /** Asking for the zone that reports are still in ends the change. */
  async function callOff(button, zone) {
    button.disabled = true;
    try {
      await send('PUT', path, { timezone: zone });
      feed?.now();
    } catch (error) {
      toast(explain(error));
      button.disabled = false;
    }
  }

  async function finish(state) {
    toast(
      t(wanted && wanted !== state.timezone ? 'settings.calledOff' : 'settings.rebuilt', {
        zone: state.timezone,
      }),
    );
    wanted = null;
    draw(state);
    await refreshApps().catch(() => {});
  }
}
