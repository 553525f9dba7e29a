import { t } from '../core/i18n.js';
import { emptyState } from '../parts/states.js';

export const page = {
  title: () => t('shell.retention'),
  async mount(root) {
    root.append(emptyState({ title: t('shell.retention'), text: '' }));
  },
};
