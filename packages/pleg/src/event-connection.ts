import { abortable, type Clock, errorCode } from '@nodeagent/api';
import type { ContainerEventLike, ContainerEventSource } from './container-event.js';

/** Failed connects in a row after which everything is listed each second instead, as the kubelet does after five. */
const connectFailuresToFallBack = 5;

/** A stream that has lasted this long, or has sent an event, works; milliseconds. */
const provenAfterMs = 10_000;

/** Whether so many failed connects in a row are enough to go on without events. */
export function shouldFallBack(failures: number): boolean {
  return failures >= connectFailuresToFallBack;
}

/**
 * Milliseconds to the next connect after so many failed ones in a row (0: after a stream that worked): a second until the fall-back,
 * then from 10 s on doubled up to 5 min.
 */
export function nextConnectDelay(failures: number): number {
  if (!shouldFallBack(failures)) return 1_000;
  return Math.min(10_000 * 2 ** (failures - connectFailuresToFallBack), 300_000);
}

/** How a stream ended. */
export interface StreamEnd {
  /** Failed connects in a row, this one included. */
  failures: number;
  /** The runtime has no events. */
  unimplemented: boolean;
  /** Undefined if the runtime ended the stream in order. */
  error: unknown;
  /** Milliseconds to the next one; infinity if it is not known. */
  nextIn: number;
}

/** What {@link followEvents} tells; none of them may throw. */
interface StreamListener {
  /** The call is on its way: what happens from now on is meant to arrive. `renew` ends the stream and begins another. */
  opened(renew: () => void): void;
  event(event: ContainerEventLike): void;
  /** The stream works; once for each stream. */
  proven(): void;
  closed(end: StreamEnd): void;
  /** After a stream that ended as unimplemented: resolves when it is worth while to ask again. */
  untilRuntimeIsBack(signal: AbortSignal): Promise<void>;
}

export interface FollowEventsOptions {
  containerEvents: ContainerEventSource;
  clock: Clock;
  /** Whether "not implemented" is a failure like any other, to be tried again. */
  insist: boolean;
  listener: StreamListener;
}

/** Keeps one stream of events open until the signal aborts. Never rejects, also if a stream ignores its signal. */
export async function followEvents({ containerEvents, clock, insist, listener }: FollowEventsOptions, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const stream = await readStream({ containerEvents, clock, listener }, signal);
    if (signal.aborted) return;
    if (stream.proven) failures = 0;
    else if (!stream.renewed) failures++;
    const unimplemented = !insist && errorCode(stream.error) === 'CRI_UNIMPLEMENTED';
    const nextIn = unimplemented ? Number.POSITIVE_INFINITY : nextConnectDelay(failures);
    listener.closed({ failures, unimplemented, error: stream.error, nextIn });
    try {
      if (unimplemented) await listener.untilRuntimeIsBack(signal);
      else await clock.sleep(nextIn, signal);
    } catch {
      return;
    }
    if (unimplemented) failures = 0;
  }
}

/** One stream from its call to its end. */
async function readStream({ containerEvents, clock, listener }: Omit<FollowEventsOptions, 'insist'>, signal: AbortSignal) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const outcome: { proven: boolean; renewed: boolean; error: unknown } = { proven: false, renewed: false, error: undefined };
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
      outcome.renewed = true;
      controller.abort(new Error('the stream is opened anew'));
    });
    for (;;) {
      const item = await abortable(next, controller.signal);
      if (item.done) break;
      prove();
      listener.event(item.value);
      next = events.next();
    }
  } catch (error) {
    if (!outcome.renewed) outcome.error = error;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', abort);
    controller.abort();
    // Not waited for: it may wait for an event that never comes.
    events?.return?.().catch(() => {});
  }
  return outcome;
}
