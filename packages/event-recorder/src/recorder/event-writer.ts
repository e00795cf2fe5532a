import { type Clock, type Event, isApiReason, type Logger, type ObjectCreator, type ObjectPatcher, type Random } from '@nodeagent/api';
import type { Correlation, EventCorrelator } from '../correlator/correlator.js';
import type { DropReason } from './metrics.js';
import { isExpected, isFinal, nextTry } from './next-try.js';
import type { RateLimiter } from './rate-limiter.js';

export interface EventWriterOptions {
  events: ObjectCreator<Event> & ObjectPatcher<Event>;
  correlator: EventCorrelator;
  limiter: RateLimiter;
  clock: Clock;
  random: Random;
  logger: Logger;
  dropped(reason: DropReason): void;
}

type Writing = Exclude<Correlation, { action: 'drop' }>;

/** Correlates and writes events to the API server, one at a time. Resolves when the event is written or dropped. */
export function createEventWriter({ events, correlator, limiter, clock, random, logger, dropped }: EventWriterOptions) {
  const patch = async ({ event, patch }: Extract<Writing, { action: 'patch' }>, signal: AbortSignal) => {
    const { namespace = '', name = '' } = event.metadata;
    await limiter.next(signal);
    return events.patch({ namespace, name }, patch, { signal });
  };
  const create = async (event: Event, signal: AbortSignal) => {
    const { resourceVersion: _version, ...metadata } = event.metadata;
    await limiter.next(signal);
    return events.create({ ...event, metadata }, { signal });
  };
  const tryOnce = async (writing: Writing, signal: AbortSignal) => {
    if (writing.action === 'patch') {
      try {
        return await patch(writing, signal);
      } catch (error) {
        if (!isApiReason(error, 'NotFound')) throw error;
      }
    }
    return create(writing.event, signal);
  };

  return async (event: Event, signal: AbortSignal): Promise<void> => {
    const writing = correlator.correlate(event, clock.monotonic());
    if (writing.action === 'drop') return dropped('spam');
    for (let tries = 1; ; tries++) {
      try {
        return correlator.written(await tryOnce(writing, signal));
      } catch (error) {
        if (signal.aborted) return;
        const { reason, involvedObject: object } = event;
        const delay = nextTry(error, tries, random);
        if (delay === undefined) {
          logger[isExpected(error) ? 'debug' : 'error']({ reason, object, err: error }, 'could not write an event, dropping it');
          return dropped(isFinal(error) ? 'rejected' : 'unreachable');
        }
        logger.debug({ reason, object, err: error }, 'could not write an event, retrying');
        await clock.sleep(delay, signal).catch(() => {});
        if (signal.aborted) return;
      }
    }
  };
}
