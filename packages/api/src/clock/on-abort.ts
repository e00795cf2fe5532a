/**
 * Calls the listener once, with the reason, when `signal` aborts, unless `until` aborts before. Like `addEventListener` with the option
 * `signal`, but without its leak: Node keeps such listeners in a registry, which retains everything they reference.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void, until: AbortSignal): void {
  if (signal === undefined || until.aborted) return;
  const leave = () => {
    signal.removeEventListener('abort', heard);
    until.removeEventListener('abort', leave);
  };
  const heard = () => {
    leave();
    listener(signal.reason);
  };
  signal.addEventListener('abort', heard, { once: true });
  until.addEventListener('abort', leave, { once: true });
}
