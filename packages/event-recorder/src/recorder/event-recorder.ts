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
import { createRateLimiter } from './rate-limiter.js';

/** Options of {@link createEventRecorder}. */
export interface EventRecorderOptions {
  /** Writes events (`v1`, `events`). */
  events: ObjectCreator<Event> & ObjectPatcher<Event>;
  /** The node's name: `source.host` and `reportingInstance` of the events. */
  nodeName: string;
  /** The reporting component: `source.component` and `reportingComponent` of the events. Default `kubelet`. */
  component?: string;
  /** Rate limit in calls a second; 0 for no limit (`eventRecordQPS`). Default 50. */
  qps?: number;
  /** Burst of the rate limit, in calls (`eventBurst`). Default 100. */
  burst?: number;
  /** Maximum number of queued events; further ones are dropped. Default 1000. */
  queueCapacity?: number;
  /** Default: the system clock. */
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  /** `nodeagent_events_dropped_total`. */
  metrics?: Metrics;
}

/** Writes events to the API server, in order and one at a time. */
export interface StartableEventRecorder extends EventRecorder, Startable {
  /** Number of queued events. */
  readonly waiting: number;
}

/**
 * Creates an event recorder that writes to the API server. Events before `start` and after `stop` are queued and written
 * after the next `start`. Throws `InvalidOption`.
 */
export function createEventRecorder(options: EventRecorderOptions): StartableEventRecorder {
  const { events, nodeName, component = 'kubelet', qps = 50, burst = 100, queueCapacity = 1000 } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger, metrics = noMetrics } = options;
  if (typeof events?.create !== 'function' || typeof events.patch !== 'function') {
    throw invalidOption('events', 'an object with create and patch', events);
  }
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  if (!(qps >= 0) || !Number.isFinite(qps)) throw invalidOption('qps', 'a number of at least 0', qps);
  requirePositive('burst', burst, { integer: true });
  requirePositive('queueCapacity', queueCapacity, { integer: true });

  const queue = createChannel<Event>(queueCapacity);
  const nameFor = createEventNames(clock, random);
  const dropped = createDropCounter(metrics);
  const correlator = createEventCorrelator();
  const write = createEventWriter({ events, correlator, limiter: createRateLimiter(qps, burst, clock), clock, random, logger, dropped });
  let running: AbortController | undefined;
  let writing: Promise<void> | undefined;
  let isFull = false;

  const drain = async (signal: AbortSignal) => {
    for (let next = queue.poll(); next !== undefined; next = signal.aborted ? undefined : queue.poll()) await write(next, signal);
    if (queue.size === 0) isFull = false;
  };
  const schedule = () => {
    if (running === undefined || writing !== undefined || queue.size === 0) return;
    writing = drain(running.signal).finally(() => {
      writing = undefined;
      schedule();
    });
  };
  const stop = async () => {
    running?.abort();
    running = undefined;
    await writing;
  };

  return {
    get waiting() {
      return queue.size;
    },
    event(object, type, reason, message, annotations) {
      logger.debug({ object, type, reason, message }, 'Event occurred');
      const name = nameFor(object.name ?? '');
      if (queue.offer(newEvent({ name, object, type, reason, message, annotations, component, nodeName, now: clock.now() })))
        return schedule();
      dropped('queue_full');
      if (!isFull) logger.warn({ waiting: queue.size }, 'the event queue is full, dropping new events');
      isFull = true;
    },
    async start(signal) {
      if (running !== undefined || signal?.aborted) return;
      const controller = new AbortController();
      running = controller;
      const abort = () => void stop();
      signal?.addEventListener('abort', abort, { once: true });
      controller.signal.addEventListener('abort', () => signal?.removeEventListener('abort', abort), { once: true });
      schedule();
    },
    stop,
  };
}
