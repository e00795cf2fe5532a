/**
 * Calls the listener once, with the reason, when `signal` aborts, unless `until` aborts before. What `addEventListener` does with a `signal` among its
 * options, but that leaves nothing behind: Node keeps such listeners in a registry that holds whatever they can reach.
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
