import { send } from '../core/api.js';
import { fill, h, uniqueId } from '../core/dom.js';
import { platform as platformName } from '../core/format.js';
import { t } from '../core/i18n.js';
import { refreshApps } from '../core/session.js';
import { copyButton } from '../parts/copyButton.js';
import { field } from '../parts/field.js';
import { icon } from '../parts/icon.js';
import { explain } from '../parts/states.js';
import { viewerZone, zonePicker } from '../parts/zonePicker.js';

const platforms = ['ios', 'android', 'web', 'macos', 'windows', 'linux', 'server', 'bot', 'other'];

/** Making an app: its name, platforms and zone; then its keys, with the way to the integration. */
export const page = {
  title: () => t('appNew.title'),
  async mount(root) {
    const holder = h('div', { class: 'narrow' });
    root.append(holder);
    const name = field({
      label: t('appNew.name'),
      hint: t('appNew.nameHint'),
      name: 'name',
      required: true,
      maxlength: '200',
      autocomplete: 'off',
    });
    const choice = platformChoice();
    const zone = zonePicker({ label: t('appNew.zone'), hint: t('appNew.zoneHint'), value: viewerZone() });
    const button = h('button', { type: 'submit', class: 'button primary' }, t('appNew.submit'));
    const problem = h('p', { class: 'field-error', role: 'alert', hidden: true });
    holder.append(
      h(
        'form',
        { class: 'card form-card', novalidate: true, on: { submit } },
        h('p', { class: 'soft' }, t('appNew.lead')),
        name.element,
        choice.element,
        zone.element,
        problem,
        h('div', { class: 'row' }, button, h('a', { class: 'button quiet', href: '/' }, t('common.cancel'))),
      ),
    );
    name.input.focus();

    async function submit(event) {
      event.preventDefault();
      problem.hidden = true;
      if (!name.input.value.trim()) return name.fail(t('appNew.nameMissing'));
      if (!choice.values().length) return choice.fail(t('appNew.platformsMissing'));
      if (!zone.value) return zone.fail(t('appNew.zoneUnknown'));
      button.disabled = true;
      try {
        const app = await send('POST', 'apps', {
          name: name.input.value.trim(),
          platforms: choice.values(),
          timezone: zone.value,
        });
        await refreshApps().catch(() => {});
        showKeys(holder, app);
      } catch (error) {
        tell(error);
      } finally {
        button.disabled = false;
      }
      return undefined;
    }

    function tell(error) {
      if (error.field === 'name') name.fail(explain(error));
      else if (error.field === 'platforms') choice.fail(explain(error));
      else if (error.field === 'timezone') zone.fail(t('appNew.zoneUnknown'));
      else {
        problem.textContent = explain(error);
        problem.hidden = false;
      }
    }
  },
};

function platformChoice() {
  const id = uniqueId('platforms');
  const boxes = platforms.map((name) =>
    h('input', {
      type: 'checkbox',
      name: 'platform',
      value: name,
      on: {
        change: () => {
          problem.hidden = true;
        },
      },
    }),
  );
  const problem = h('p', { class: 'field-error', id: `${id}-problem`, role: 'alert', hidden: true });
  return {
    element: h(
      'fieldset',
      { class: 'field platform-choice', aria: { describedby: `${id}-hint ${id}-problem` } },
      h('legend', { class: 'field-label' }, t('appNew.platforms')),
      h(
        'div',
        { class: 'choice-grid' },
        platforms.map((name, index) => h('label', { class: 'choice' }, boxes[index], platformName(name))),
      ),
      h('p', { class: 'field-hint', id: `${id}-hint` }, t('appNew.platformsHint')),
      problem,
    ),
    values: () => boxes.filter((box) => box.checked).map((box) => box.value),
    fail(text) {
      problem.textContent = text;
      problem.hidden = false;
      boxes[0].focus();
    },
  };
}

function showKeys(holder, app) {
  const heading = h('h2', { tabindex: '-1' }, t('appNew.doneTitle', { name: app.name }));
  fill(
    holder,
    h(
      'section',
      { class: 'card form-card' },
      h(
        'div',
        { class: 'row' },
        h('span', { class: 'badge good' }, icon('check', { size: 13 }), t('appNew.created')),
        h('span', { class: 'muted small' }, app.timezone),
      ),
      heading,
      h('p', { class: 'soft' }, t('appNew.doneText')),
      h(
        'ul',
        { class: 'key-list' },
        app.keys.map((key) =>
          h(
            'li',
            { class: 'key-row' },
            h(
              'span',
              { class: 'strong' },
              key.platform ? platformName(key.platform) : t('appNew.anyPlatform'),
            ),
            h('code', { class: 'ellipsis' }, keyText(key)),
            copyButton(keyText(key), {
              iconOnly: true,
              quiet: true,
              label: t('appNew.copyKey', {
                platform: key.platform ? platformName(key.platform) : t('appNew.anyPlatform'),
              }),
            }),
          ),
        ),
      ),
      h(
        'div',
        { class: 'row wrap' },
        h(
          'a',
          { class: 'button primary', href: `/apps/${app.id}/integration` },
          icon('integration'),
          t('appNew.toIntegration'),
        ),
        h('a', { class: 'button', href: '/' }, t('shell.portfolio')),
      ),
    ),
  );
  heading.focus();
}

function keyText(key) {
  return key.key;
}
