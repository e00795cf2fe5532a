import { NodeAgentError } from '@nodeagent/api';
import type { Console, InterruptReason } from './console.js';

/** The interrupts of the command. */
export interface Interrupts {
  /** Aborted by the first interrupt: stop gracefully. */
  readonly first: AbortSignal;
  /** Aborted by the second interrupt: stop immediately. */
  readonly second: AbortSignal;
  /** Reason of the first interrupt; undefined before it. */
  why(): InterruptReason | undefined;
  stopListening(): void;
}

/** Signals within this time after the first one are duplicates: the terminal signals `npm` too, which forwards the signal. */
const sameRequestMs = 200;

export function listenForInterrupts(console: Pick<Console, 'onInterrupt'>, monotonic: () => number): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  let firstAt = 0;
  let firstWhy: InterruptReason | undefined;
  const stopListening = console.onInterrupt((why) => {
    const reason = new NodeAgentError('INTERRUPTED', `interrupted (${why})`);
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
