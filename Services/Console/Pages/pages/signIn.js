import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { navigate } from '../core/router.js';
import { session, signIn } from '../core/session.js';
import { field } from '../parts/field.js';
import { brandMark } from '../parts/sidebar.js';
import { explain } from '../parts/states.js';

/** Signing in. */
export const page = {
  title: () => t('signIn.title'),
  async mount(root, ctx) {
    if (session()) {
      navigate(safeNext(ctx.query.get('next')), { replace: true });
      return;
    }
    const email = field({
      label: t('signIn.email'),
      name: 'email',
      type: 'email',
      autocomplete: 'username',
      required: true,
      inputmode: 'email',
      spellcheck: 'false',
    });
    const password = field({
      label: t('signIn.password'),
      name: 'password',
      type: 'password',
      autocomplete: 'current-password',
      required: true,
    });
    const button = h('button', { type: 'submit', class: 'button primary' }, t('signIn.submit'));
    root.append(
      h(
        'div',
        { class: 'entry' },
        h(
          'div',
          { class: 'entry-head' },
          brandMark(),
          h('h1', {}, t('signIn.title')),
          h('p', { class: 'soft' }, t('signIn.lead')),
        ),
        h('form', { class: 'card entry-form', on: { submit } }, email.element, password.element, button),
        h('p', { class: 'small muted entry-hint' }, t('signIn.setupHint')),
      ),
    );
    email.input.focus();

    async function submit(event) {
      event.preventDefault();
      button.disabled = true;
      try {
        await signIn(email.input.value.trim(), password.input.value);
        navigate(safeNext(ctx.query.get('next')), { replace: true });
      } catch (error) {
        if (error.status === 401) password.fail(t('signIn.wrong'));
        else if (error.status === 429)
          password.fail(t('signIn.tooMany', { count: error.retryAfterSeconds ?? 60 }));
        else password.fail(explain(error));
        password.input.select();
      } finally {
        button.disabled = false;
      }
    }
  },
};

/** Only addresses of this console are followed after signing in. */
function safeNext(next) {
  if (!next?.startsWith('/') || next.startsWith('//') || next.startsWith('/\\')) return '/';
  return next.startsWith('/sign-in') ? '/' : next;
}
