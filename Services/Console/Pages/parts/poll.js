/**
 * Asks again and again while the page is looked at: {now, pause, resume, stop}.
 *
 * `ask(signal)` answers a promise; `onAnswer` hears what it gave, `onState` hears {kind: 'live' | 'paused' | 'hidden' | 'stale', at, error}.
 * A hidden tab asks nothing and asks at once when it is looked at again. After a failure the pause doubles up to a minute, or is as long
 * as the server asked for. Everything ends with `signal`.
 */
export function poll(ask, { seconds, signal, onAnswer, onState = () => {} }) {
  let timer = null;
  let failures = 0;
  let isPaused = false;
  let isAsking = false;
  let isStopped = false;
  let at = null;

  const tell = (kind, error = null) => onState({ kind, at, error });

  async function now() {
    clearTimeout(timer);
    if (signal.aborted || isAsking || isStopped) return;
    isAsking = true;
    try {
      const answer = await ask(signal);
      if (signal.aborted) return;
      failures = 0;
      at = new Date();
      onAnswer(answer);
      tell(isPaused ? 'paused' : 'live');
    } catch (error) {
      if (signal.aborted || error.name === 'AbortError') return;
      failures += 1;
      tell('stale', error);
      next(error);
      return;
    } finally {
      isAsking = false;
    }
    next(null);
  }

  function next(error) {
    if (signal.aborted || isPaused || isStopped) return;
    if (document.hidden) return tell('hidden');
    const pause = error
      ? Math.max(error.retryAfterSeconds ?? 0, Math.min(seconds * 2 ** failures, 60))
      : seconds;
    timer = setTimeout(now, pause * 1000);
  }

  function looked() {
    if (isPaused) return;
    clearTimeout(timer);
    if (document.hidden) tell('hidden');
    else now();
  }

  function stop() {
    isStopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', looked);
  }

  document.addEventListener('visibilitychange', looked);
  signal.addEventListener('abort', stop, { once: true });
  now();
  return {
    now,
    stop,
    pause() {
      isPaused = true;
      clearTimeout(timer);
      tell('paused');
    },
    resume() {
      isPaused = false;
      now();
    },
  };
}

/** Waits; ends early, by a rejection, when `signal` does. */
export function wait(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(new DOMException('left', 'AbortError'));
      },
      { once: true },
    );
  });
}
