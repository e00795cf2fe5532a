import {
  type Clock,
  createChannel,
  type Event,
  type EventRecorder,
  invalidOption,
  type Logger,
  type Metrics,
  noMetrics,
  type ObjectCreator,
  type ObjectPatcher,
  type Random,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { createEventCorrelator } from '../correlator/correlator.js';
import { createEventWriter } from './event-writer.js';
import { createDropCounter } from './metrics.js';
import { createEventNames, newEvent } from './new-event.js';
import { createPace } from './pace.js';

/** Options of {@link createEventRecorder}. */
export interface EventRecorderOptions {
  /** Writes events (`v1`, `events`). */
  events: ObjectCreator<Event> & ObjectPatcher<Event>;
  /** The node that reports: the events' `source.host` and `reportingInstance`. */
  nodeName: string;
  /** Who reports: the events' `source.component` and `reportingComponent`. Default `kubelet`. */
  component?: string;
  /** Calls a second in the long run; 0 for any number (`eventRecordQPS`). Default 50. */
  qps?: number;
  /** Calls at once (`eventBurst`). Default 100. */
  burst?: number;
  /** Events that wait to be written; more are dropped. Default 1000. */
  queueCapacity?: number;
  /** Default: the system's. */
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  /** `nodeagent_events_dropped_total`. */
  metrics?: Metrics;
}

/** Writes what is reported to the API server, in order and one at a time. */
export interface StartableEventRecorder extends EventRecorder, Startable {
  /** Events that wait to be written. */
  readonly waiting: number;
}

/**
 * An event recorder over the API server. What is reported while it is not started waits for the start; what waits at a stop is written
 * after the next start. Throws `InvalidOption`.
 */
export function createEventRecorder(options: EventRecorderOptions): StartableEventRecorder {
  const { events, nodeName, component = 'kubelet', qps = 50, burst = 100, queueCapacity = 1000 } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger, metrics = noMetrics } = options;
  if (typeof events?.create !== 'function' || typeof events.patch !== 'function') {
    throw invalidOption('events', 'something with create and patch', events);
  }
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  if (!(qps >= 0) || !Number.isFinite(qps)) throw invalidOption('qps', 'a number that is not negative', qps);
  requirePositive('burst', burst, { integer: true });
  requirePositive('queueCapacity', queueCapacity, { integer: true });

  const queue = createChannel<Event>(queueCapacity);
  const nameFor = createEventNames(clock, random);
  const dropped = createDropCounter(metrics);
  const correlator = createEventCorrelator();
  const write = createEventWriter({ events, correlator, pace: createPace(qps, burst, clock), clock, random, logger, dropped });
  let life: AbortController | undefined;
  let writing: Promise<void> | undefined;
  let isFull = false;

  const drain = async (signal: AbortSignal) => {
    for (let next = queue.poll(); next !== undefined; next = signal.aborted ? undefined : queue.poll()) await write(next, signal);
    if (queue.size === 0) isFull = false;
  };
  const wake = () => {
    if (life === undefined || writing !== undefined || queue.size === 0) return;
    writing = drain(life.signal).finally(() => {
      writing = undefined;
      wake();
    });
  };
  const stop = async () => {
    life?.abort();
    life = undefined;
    await writing;
  };

  return {
    get waiting() {
      return queue.size;
    },
    event(object, type, reason, message, annotations) {
      logger.debug({ object, type, reason, message }, 'Event occurred');
      const name = nameFor(object.name ?? '');
      if (queue.offer(newEvent({ name, object, type, reason, message, annotations, component, nodeName, now: clock.now() }))) return wake();
      dropped('queue_full');
      if (!isFull) logger.warn({ waiting: queue.size }, 'too many events wait to be written: new ones are dropped');
      isFull = true;
    },
    async start(signal) {
      if (life !== undefined || signal?.aborted) return;
      const controller = new AbortController();
      life = controller;
      const abort = () => void stop();
      signal?.addEventListener('abort', abort, { once: true });
      controller.signal.addEventListener('abort', () => signal?.removeEventListener('abort', abort), { once: true });
      wake();
    },
    stop,
  };
}
