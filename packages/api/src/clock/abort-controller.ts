type AbortListener = (event: Event) => void;

/**
 * Creates an `AbortController` whose signal takes any number of listeners, as the signal of an agent does: each call in flight adds one.
 * Node.js reports a leak at the eleventh listener of any other signal, and only a function of `node:events` raises that limit.
 */
export function createAbortController(): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const { addEventListener, removeEventListener } = signal;
  const listeners = new Set<AbortListener>();

  signal.addEventListener('abort', (event) => {
    for (const listener of listeners) callListener(signal, listener, event);
    listeners.clear();
  });
  signal.addEventListener = (...[type, listener, options]: Parameters<typeof addEventListener>) => {
    const isUntilAborted = typeof options === 'object' && options.signal !== undefined;
    if (type !== 'abort' || typeof listener !== 'function' || isUntilAborted) addEventListener.call(signal, type, listener, options);
    else if (!signal.aborted) listeners.add(listener);
  };
  signal.removeEventListener = (...[type, listener, options]: Parameters<typeof removeEventListener>) => {
    if (type === 'abort' && typeof listener === 'function') listeners.delete(listener);
    removeEventListener.call(signal, type, listener, options);
  };
  return controller;
}

/** An error of one listener does not keep the others from being called; it is reported as uncaught, as that of any event listener is. */
function callListener(signal: AbortSignal, listener: AbortListener, event: Event): void {
  try {
    listener.call(signal, event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
