import { send } from '../../core/api.js';
import { h } from '../../core/dom.js';
import { dateTime, platform as platformName } from '../../core/format.js';
import { t } from '../../core/i18n.js';
import { refreshApps } from '../../core/session.js';
import { copyLine } from '../../parts/codeBlock.js';
import { field } from '../../parts/field.js';
import { section } from '../../parts/section.js';
import { explain } from '../../parts/states.js';
import { toast } from '../../parts/toast.js';

const allPlatforms = ['ios', 'android', 'web', 'macos', 'windows', 'linux', 'bot', 'server', 'other'];

/** The app's name and what never changes about it. */
export function generalSection(ctx, app) {
  const name = field({
    label: t('settings.name'),
    hint: t('settings.nameHint'),
    name: 'app-name',
    value: app.name,
    maxlength: '200',
    required: true,
    autocomplete: 'off',
  });
  const button = h('button', { type: 'submit', class: 'button primary', disabled: true }, t('settings.save'));
  name.input.addEventListener('input', () => {
    button.disabled = name.input.value.trim() === app.name || !name.input.value.trim();
  });

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    try {
      await send('PATCH', `apps/${encodeURIComponent(app.id)}`, { name: name.input.value });
      toast(t('settings.saved'));
      await refreshApps();
      ctx.refresh();
    } catch (error) {
      name.fail(error.field === 'name' ? t('settings.nameBad') : explain(error));
      button.disabled = false;
    }
  }

  return section(
    { id: 'general', title: t('settings.general') },
    h(
      'div',
      { class: 'card-body stack' },
      h('form', { class: 'stack', on: { submit } }, name.element, h('div', {}, button)),
      h(
        'dl',
        { class: 'facts' },
        h('dt', {}, t('settings.appId')),
        h('dd', {}, copyLine(app.id, { label: t('settings.appId') })),
        h('dt', {}, t('settings.created')),
        h('dd', {}, dateTime(app.created_at, ctx.app.timezone)),
      ),
    ),
  );
}

/** The app's platforms; more can be added. */
export function platformsSection(ctx, app) {
  const missing = allPlatforms.filter((name) => !app.platforms.includes(name));
  const boxes = missing.map((name) => ({
    name,
    input: h('input', { type: 'checkbox', name: `platform-${name}`, on: { change } }),
  }));
  const button = h(
    'button',
    { type: 'submit', class: 'button primary', disabled: true },
    t('settings.addPlatforms'),
  );
  const problem = h('p', { class: 'field-error', role: 'alert', hidden: true });
  const chosen = () => boxes.filter(({ input }) => input.checked).map(({ name }) => name);

  function change() {
    button.disabled = chosen().length === 0;
  }

  async function submit(event) {
    event.preventDefault();
    const names = chosen();
    button.disabled = true;
    try {
      await send('PATCH', `apps/${encodeURIComponent(app.id)}`, { add_platforms: names });
      toast(t('settings.addPlatformsDone', { count: names.length }));
      await refreshApps();
      ctx.refresh();
    } catch (error) {
      problem.textContent = explain(error);
      problem.hidden = false;
      button.disabled = false;
    }
  }

  return section(
    { id: 'platforms', title: t('settings.platforms'), hint: t('settings.platformsHint') },
    h(
      'div',
      { class: 'card-body stack' },
      h(
        'ul',
        { class: 'row wrap' },
        app.platforms.map((name) => h('li', { class: 'badge accent' }, platformName(name))),
      ),
      missing.length
        ? h(
            'form',
            { class: 'stack', on: { submit } },
            h(
              'fieldset',
              { class: 'plain stack tight' },
              h('legend', { class: 'field-label' }, t('settings.addPlatforms')),
              h(
                'div',
                { class: 'choices' },
                boxes.map(({ name, input }) => h('label', { class: 'check' }, input, platformName(name))),
              ),
            ),
            h('p', { class: 'field-hint' }, t('settings.platformsStay')),
            problem,
            h('div', {}, button),
          )
        : h('p', { class: 'small muted' }, t('settings.allPlatforms')),
    ),
  );
}
