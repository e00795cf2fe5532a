import { abortable, type Clock, errorCode } from '@nodeagent/api';
import type { ContainerEventLike, ContainerEventSource } from './container-event.js';

/** Consecutive failed connects after which the generator falls back to relisting every second. The kubelet's limit is also five. */
const connectFailuresToFallBack = 5;

/** Milliseconds after which an open stream counts as working; so does a stream that has sent an event. */
const provenAfterMs = 10_000;

/** Whether the generator falls back to relisting after this number of consecutive failed connects. */
export function shouldFallBack(failures: number): boolean {
  return failures >= connectFailuresToFallBack;
}

/**
 * Milliseconds to the next connect after this number of consecutive failed ones (0: after a working stream): 1 s until the fallback, then
 * 10 s, doubled up to 5 min.
 */
export function nextConnectDelay(failures: number): number {
  if (!shouldFallBack(failures)) return 1_000;
  return Math.min(10_000 * 2 ** (failures - connectFailuresToFallBack), 300_000);
}

/** The end of a stream. */
export interface StreamEnd {
  /** Consecutive failed connects, including this one. */
  failures: number;
  /** The runtime does not support events. */
  unimplemented: boolean;
  /** Undefined if the runtime ended the stream without an error. */
  error: unknown;
  /** Milliseconds to the next connect; infinity if unknown. */
  nextIn: number;
}

/** Callbacks of {@link followEvents}; they must not throw. */
interface StreamListener {
  /** The call was sent: events from now on should arrive. `reopen` closes the stream and opens another. */
  opened(reopen: () => void): void;
  event(event: ContainerEventLike): void;
  /** The stream works. Called once per stream. */
  proven(): void;
  closed(end: StreamEnd): void;
  /** Called after a stream that ended as unimplemented; resolves when a retry may succeed. */
  untilRuntimeRestarted(signal: AbortSignal): Promise<void>;
}

export interface FollowEventsOptions {
  containerEvents: ContainerEventSource;
  clock: Clock;
  /** Whether "not implemented" is retried like any other failure. */
  retryUnimplemented: boolean;
  listener: StreamListener;
}

/** Keeps one event stream open until the signal aborts. Never rejects, even if a stream ignores its signal. */
export async function followEvents(
  { containerEvents, clock, retryUnimplemented, listener }: FollowEventsOptions,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const stream = await readStream({ containerEvents, clock, listener }, signal);
    if (signal.aborted) return;
    if (stream.proven) failures = 0;
    else if (!stream.reopened) failures++;
    const unimplemented = !retryUnimplemented && errorCode(stream.error) === 'CRI_UNIMPLEMENTED';
    const nextIn = unimplemented ? Number.POSITIVE_INFINITY : nextConnectDelay(failures);
    listener.closed({ failures, unimplemented, error: stream.error, nextIn });
    try {
      if (unimplemented) await listener.untilRuntimeRestarted(signal);
      else await clock.sleep(nextIn, signal);
    } catch {
      return;
    }
    if (unimplemented) failures = 0;
  }
}

/** Reads one stream from its call to its end. */
async function readStream({ containerEvents, clock, listener }: Omit<FollowEventsOptions, 'retryUnimplemented'>, signal: AbortSignal) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const outcome: { proven: boolean; reopened: boolean; error: unknown } = { proven: false, reopened: false, error: undefined };
  const prove = () => {
    timer.cancel();
    if (outcome.proven) return;
    outcome.proven = true;
    listener.proven();
  };
  const timer = clock.setTimeout(prove, provenAfterMs);
  let events: AsyncIterator<ContainerEventLike> | undefined;
  try {
    events = containerEvents(controller.signal)[Symbol.asyncIterator]();
    let next = events.next();
    listener.opened(() => {
      outcome.reopened = true;
      controller.abort(new Error('the generator reopens the stream'));
    });
    for (;;) {
      const item = await abortable(next, controller.signal);
      if (item.done) break;
      prove();
      listener.event(item.value);
      next = events.next();
    }
  } catch (error) {
    if (!outcome.reopened) outcome.error = error;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', abort);
    controller.abort();
    // Not awaited: it may wait for an event that never arrives.
    events?.return?.().catch(() => {});
  }
  return outcome;
}
