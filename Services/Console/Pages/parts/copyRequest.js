import { h } from '../core/dom.js';
import { address } from '../core/api.js';
import { t } from '../core/i18n.js';
import { facts } from '../core/session.js';
import { copyText } from './copyButton.js';
import { icon } from './icon.js';
import { toast } from './toast.js';

/** The command that asks the Read API for a report; `$AM_SK` stands for the secret key. */
export function curlCommand({ path, params = {} }) {
  const lines = [
    `curl -sS -G ${quote((facts().read_url ?? '').replace(/\/$/, '') + path)}`,
    '-H "Authorization: Bearer $AM_SK"',
  ];
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) {
      if (one !== null && one !== undefined) lines.push(`--data-urlencode ${quote(`${name}=${one}`)}`);
    }
  }
  return lines.join(' \\\n  ');
}

/**
 * Values come from clients and stand in a shell command: nothing inside single quotes means anything there.
 */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The button "Copy as Read API request"; `request()` gives {path, params} of what is on screen.
 *
 * With `hasLabel` its name is written out where there is room for it.
 */
export function copyRequestButton(request, { hasLabel = false } = {}) {
  return h(
    'button',
    {
      type: 'button',
      class: ['button quiet small', hasLabel ? 'has-label' : 'icon-only'],
      data: { copyRequest: '' },
      title: t('common.copyRequest'),
      aria: { label: t('common.copyRequest') },
      on: {
        click: async () =>
          toast(
            (await copyText(curlCommand(request()))) ? t('common.copiedRequest') : t('common.copyFailed'),
          ),
      },
    },
    icon('terminal'),
    hasLabel ? h('span', { class: 'wide-label' }, t('common.copyRequest')) : null,
  );
}

/** The link that downloads a report as CSV; `point(request)` sets what it asks for. */
export function csvLink() {
  const element = h(
    'a',
    {
      class: 'button quiet small icon-only',
      download: true,
      title: t('common.csvHint'),
      aria: { label: t('common.csvHint') },
    },
    icon('download'),
  );
  return {
    element,
    point({ path, params }) {
      element.href = address(path, { ...params, format: 'csv' });
    },
  };
}
