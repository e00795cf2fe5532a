import { NodeAgentError } from '@nodeagent/api';
import type { Console, EndReason } from './console.js';

/** How often the command was told to end. */
export interface EndRequests {
  /** Aborts at the first request: end in order. */
  readonly first: AbortSignal;
  /** Aborts at the second request: end at once. */
  readonly second: AbortSignal;
  /** Why the first one came; undefined before it. */
  why(): EndReason | undefined;
  stopListening(): void;
}

/** Signals within this time of the first one belong to it: `npm` passes on the Ctrl-C that the terminal sends to both. */
const sameRequestMs = 200;

export function listenForEnd(console: Pick<Console, 'onEnd'>, monotonic: () => number): EndRequests {
  const first = new AbortController();
  const second = new AbortController();
  let firstAt = 0;
  let firstWhy: EndReason | undefined;
  const stopListening = console.onEnd((why) => {
    const reason = new NodeAgentError('INTERRUPTED', `told to end (${why})`);
    if (!first.signal.aborted) {
      firstAt = monotonic();
      firstWhy = why;
      first.abort(reason);
    } else if (monotonic() - firstAt > sameRequestMs && why !== 'output closed') second.abort(reason);
  });
  return { first: first.signal, second: second.signal, why: () => firstWhy, stopListening };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
