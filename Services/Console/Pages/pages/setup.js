import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { passwordCharactersMin } from '../core/passwords.js';
import { navigate } from '../core/router.js';
import { setUp } from '../core/session.js';
import { field } from '../parts/field.js';
import { brandMark } from '../parts/sidebar.js';
import { emptyState, explain } from '../parts/states.js';

/**
 * Making an account from a one-time link; the link's token stands behind the #, so that no server log ever
 * has it.
 */
export const page = {
  title: () => t('setup.title'),
  async mount(root) {
    const token = window.location.hash.slice(1);
    if (!token) {
      root.append(
        emptyState({
          title: t('setup.noToken'),
          text: t('setup.noTokenText'),
          iconName: 'key',
          actions: h('a', { class: 'button', href: '/sign-in' }, t('setup.toSignIn')),
        }),
      );
      return;
    }
    const email = field({
      label: t('setup.email'),
      name: 'email',
      type: 'email',
      autocomplete: 'username',
      required: true,
      spellcheck: 'false',
    });
    const password = field({
      label: t('setup.password'),
      name: 'new-password',
      type: 'password',
      autocomplete: 'new-password',
      required: true,
      hint: t('setup.passwordHint', { min: passwordCharactersMin }),
    });
    const repeat = field({
      label: t('setup.repeat'),
      name: 'repeat-password',
      type: 'password',
      autocomplete: 'new-password',
      required: true,
    });
    const button = h('button', { type: 'submit', class: 'button primary' }, t('setup.submit'));
    root.append(
      h(
        'div',
        { class: 'entry' },
        h(
          'div',
          { class: 'entry-head' },
          brandMark(),
          h('h1', {}, t('setup.title')),
          h('p', { class: 'soft' }, t('setup.lead')),
        ),
        h(
          'form',
          { class: 'card entry-form', on: { submit } },
          email.element,
          password.element,
          repeat.element,
          button,
        ),
      ),
    );
    email.input.focus();

    async function submit(event) {
      event.preventDefault();
      if ([...password.input.value].length < passwordCharactersMin) {
        password.fail(t('setup.short', { min: passwordCharactersMin }));
        return;
      }
      if (password.input.value !== repeat.input.value) {
        repeat.fail(t('setup.mismatch'));
        return;
      }
      button.disabled = true;
      try {
        await setUp(token, email.input.value.trim(), password.input.value);
        navigate('/', { replace: true });
      } catch (error) {
        tell(error);
      } finally {
        button.disabled = false;
      }
    }

    function tell(error) {
      if (error.field === 'token') email.fail(t('setup.badToken'));
      else if (error.field === 'email') email.fail(t('setup.wrongEmail'));
      else if (error.field === 'password') password.fail(t('setup.short', { min: passwordCharactersMin }));
      else if (error.status === 409) email.fail(t('setup.taken'));
      else if (error.status === 429)
        email.fail(t('signIn.tooMany', { count: error.retryAfterSeconds ?? 60 }));
      else email.fail(explain(error));
    }
  },
};
