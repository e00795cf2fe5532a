/**
 * Calls the listener once, with the reason, when `signal` aborts, unless `until` aborts before. Like `addEventListener` with the option
 * `signal`, but without its leak: Node keeps such listeners in a registry, which retains everything they reference.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void, until: AbortSignal): void {
  if (signal === undefined || until.aborted) return;
  const removeListeners = () => {
    signal.removeEventListener('abort', notify);
    until.removeEventListener('abort', removeListeners);
  };
  const notify = () => {
    removeListeners();
    listener(signal.reason);
  };
  signal.addEventListener('abort', notify, { once: true });
  until.addEventListener('abort', removeListeners, { once: true });
}
