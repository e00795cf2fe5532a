import {
  apiStatusError,
  type Clock,
  errorCode,
  errorMessage,
  type InformerChecks,
  type KubeObject,
  type Logger,
  NodeAgentError,
  type ObjectChange,
  type Random,
} from '@nodeagent/api';
import { kubeClientErrorCodes, unreachable } from '../errors.js';
import { statusOf } from '../request/api-response.js';
import type { ObjectList } from '../resources/list.js';
import type { TransportResponse } from '../transport/transport.js';
import type { InformerEvent } from './contracts.js';
import { createIdleLimit } from './idle-limit.js';
import { firstStep, nextStep, type ReflectorEnd } from './next-step.js';
import { isStorable, type ObjectStore } from './object-store.js';
import { createWatchBackoff, type WatchBackoff } from './watch-backoff.js';
import { createLineSplitter, parseWatchEvent, type WatchEvent } from './watch-lines.js';
import { withoutManagedFields } from './without-managed-fields.js';

/** Lists and watches one selection. */
export interface ListWatch<T extends KubeObject> {
  /** Server and resource, for logs and errors. */
  server: string;
  resource: string;
  list(resourceVersion: string, signal: AbortSignal): Promise<ObjectList<T>>;
  watch(request: { resourceVersion: string; timeoutSeconds: number }, signal: AbortSignal): Promise<TransportResponse['body']>;
}

export interface ReflectorOptions<T extends KubeObject> extends InformerChecks {
  source: ListWatch<T>;
  store: ObjectStore<T>;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Timeout of the start of a watch. */
  requestTimeoutMs: number;
  /** Timeout of a watch that receives nothing. */
  watchIdleMs: number;
  /** Minimum duration of a watch; the maximum is twice that. */
  watchMs: number;
  /** Whether objects keep `metadata.managedFields`. */
  keepManagedFields: boolean;
  onChanges(changes: readonly ObjectChange<T>[]): void;
  onEvent(event: InformerEvent): void;
}

/** An object to cache, and why the received one was refused. */
interface Received<T> {
  object?: T;
  problem?: string;
}

/** A watch without an event that ends before this time counts as failed. */
const minWatchMs = 1000;
const maxJitterMs = 1000;
/** Tolerance for the server's clock at the end of a watch. */
const toleranceMs = 5000;

/** Keeps a store in sync with the API server, by list and watch. One run at a time; the next one resumes. */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: WatchBackoff;
  #step = firstStep;
  #current = false;
  #isReportedStale = false;
  #lastSign = 0;
  /** Version of the last object or bookmark received. */
  #version = '';

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#backoff = createWatchBackoff(options.random);
  }

  get isCurrent(): boolean {
    return this.#current;
  }

  /** Runs until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    this.#lastSign = this.#options.clock.now();
    while (!signal.aborted) {
      await this.#wait(signal);
      if (signal.aborted) break;
      const end = this.#step.do === 'list' ? await this.#list(signal) : await this.#watch(signal);
      if (!signal.aborted) this.#step = nextStep(this.#step, end);
    }
    this.#current = false;
    this.#isReportedStale = false;
    this.#step = { do: 'list', version: this.#version === '' ? '0' : this.#version, wait: 'none' };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const { wait, minWaitMs = 0 } = this.#step;
    if (wait === 'none') return;
    const ms = wait === 'jitter' ? random() * maxJitterMs : this.#backoff.next(clock.now());
    await clock.sleep(Math.max(ms, minWaitMs * (1 + random() * 0.25)), signal).catch(() => {});
  }

  async #list(signal: AbortSignal): Promise<ReflectorEnd> {
    const { source, store, clock } = this.#options;
    try {
      const { items, resourceVersion } = await source.list(this.#step.version, signal);
      if (signal.aborted) return { type: 'listed', version: resourceVersion };
      const received = items.map((item) => this.#receive(item));
      this.#report(received);
      const good = received.flatMap(({ object }) => object ?? []);
      this.#lastSign = clock.now();
      this.#version = resourceVersion;
      const changes = store.replace(good);
      this.#options.onEvent({
        type: 'relisted',
        resourceVersion,
        objects: good.length,
        added: changes.filter(({ old }) => old === undefined).length,
        updated: changes.filter(({ old, object }) => old !== undefined && object !== undefined).length,
        deleted: changes.filter(({ object }) => object === undefined).length,
      });
      this.#options.onChanges(changes);
      return { type: 'listed', version: resourceVersion };
    } catch (error) {
      if (!signal.aborted) this.#reportStale(error);
      return { type: 'listFailed', error };
    }
  }

  async #watch(signal: AbortSignal): Promise<ReflectorEnd> {
    const { source, clock, random, requestTimeoutMs, watchIdleMs, watchMs } = this.#options;
    this.#version = this.#step.version;
    const timeoutSeconds = Math.floor((watchMs / 1000) * (1 + random()));
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const idle = createIdleLimit(clock, () => {
      controller.abort(unreachable(source.server, 'idle', `the watch of ${source.resource} received no data in time`));
    });
    const startedAt = clock.monotonic();
    let connectedAt: number | undefined;
    try {
      idle.set(requestTimeoutMs);
      const body = await source.watch({ resourceVersion: this.#version, timeoutSeconds }, controller.signal);
      connectedAt = clock.monotonic();
      idle.set(watchIdleMs);
      this.#connected();
      const failure = await this.#follow(body, idle.touch, controller.signal);
      if (failure !== undefined) return failure;
      const lasted = clock.monotonic() - startedAt;
      if (lasted < minWatchMs && this.#version === this.#step.version) return this.#failed(tooShort(source.server, source.resource));
      return { type: 'watchEnded', version: this.#version, early: lasted < timeoutSeconds * 1000 - toleranceMs };
    } catch (error) {
      if (signal.aborted) return { type: 'watchEnded', version: this.#version, early: true };
      if (errorCode(error) === kubeClientErrorCodes.responseTooLarge) return this.#unreadable(error);
      const wasCut = connectedAt !== undefined && clock.monotonic() - connectedAt >= minWatchMs;
      if (!wasCut) return this.#failed(error);
      if (controller.signal.aborted) this.#reportStale(error);
      return { type: 'watchEnded', version: this.#version, early: true };
    } finally {
      idle.cancel();
      signal.removeEventListener('abort', abort);
      controller.abort();
    }
  }

  /** Processes the events of the stream; resolves at its end, with a failure if the stream reports one. */
  async #follow(body: TransportResponse['body'], touch: () => void, signal: AbortSignal): Promise<ReflectorEnd | undefined> {
    const lines = createLineSplitter();
    for await (const chunk of body) {
      if (signal.aborted) throw signal.reason;
      touch();
      this.#lastSign = this.#options.clock.now();
      for (const line of lines.push(chunk)) {
        const event = parseWatchEvent(line);
        if (event === undefined) return this.#unreadable('a line is not a watch event');
        if (event.type === 'ERROR') return this.#failed(errorOf(event));
        this.#take(event);
      }
    }
    return undefined;
  }

  #take({ type, object }: WatchEvent): void {
    const { store, onChanges } = this.#options;
    const version = (object.metadata as { resourceVersion?: unknown } | undefined)?.resourceVersion;
    if (typeof version === 'string' && version !== '') this.#version = version;
    if (type === 'BOOKMARK') return;
    const received = this.#receive(object);
    this.#report([received]);
    if (received.object === undefined) return;
    const changes = type === 'DELETED' ? store.remove(received.object) : store.put(received.object);
    if (changes.length > 0) onChanges(changes);
  }

  /** The object to cache: a refused one is replaced by its last accepted version, if there is one. */
  #receive(received: object): Received<T> {
    const { store, keepManagedFields, problemOf } = this.#options;
    const object = received as T;
    if (!isStorable(object)) return { problem: 'an object without a name or version' };
    const problem = problemOf?.(object);
    if (problem === undefined) return { object: keepManagedFields ? object : withoutManagedFields(object) };
    const { name = '', namespace } = object.metadata ?? {};
    const known = store.get({ name, ...(namespace !== undefined && { namespace }) });
    return { problem: `${namespace ?? ''}/${name}: ${problem}`, ...(known && { object: known }) };
  }

  /** One line for all refused objects. */
  #report(received: readonly Received<T>[]): void {
    const problems = received.flatMap(({ problem }) => problem ?? []);
    if (problems.length === 0) return;
    const { logger, source } = this.#options;
    logger.error({ resource: source.resource, objects: problems.length, problem: problems[0] }, 'ignoring objects of the API server');
  }

  #connected(): void {
    this.#lastSign = this.#options.clock.now();
    this.#current = true;
    this.#isReportedStale = false;
    this.#options.onEvent({ type: 'connected', resourceVersion: this.#version });
  }

  #failed(error: unknown): ReflectorEnd {
    const end: ReflectorEnd = { type: 'watchFailed', version: this.#version, error };
    this.#reportStale(error);
    return end;
  }

  #unreadable(problem: unknown): ReflectorEnd {
    const { source } = this.#options;
    const message = `watch of ${source.resource}: ${errorMessage(problem)}`;
    this.#reportStale(new NodeAgentError(kubeClientErrorCodes.invalidApiResponse, message, { retryable: true }));
    return { type: 'watchUnreadable', version: this.#version };
  }

  #reportStale(cause: unknown): void {
    this.#current = false;
    if (this.#isReportedStale) return;
    this.#isReportedStale = true;
    const { source, logger, onEvent } = this.#options;
    const error = asNodeAgentError(cause);
    logger.warn({ resource: source.resource, err: error }, 'watch failed, the cached API objects may be stale');
    onEvent({ type: 'stale', since: this.#lastSign, error });
  }
}

function errorOf({ object }: WatchEvent): NodeAgentError {
  return apiStatusError(statusOf(object) ?? { code: 500, reason: 'InternalError', message: 'the watch ended with an unknown error' });
}

function tooShort(server: string, resource: string): NodeAgentError {
  return unreachable(server, 'response', `the watch of ${resource} ended at once`);
}

function asNodeAgentError(error: unknown): NodeAgentError {
  if (errorCode(error) !== undefined && typeof (error as NodeAgentError).retryable === 'boolean') return error as NodeAgentError;
  return new NodeAgentError(kubeClientErrorCodes.invalidApiResponse, errorMessage(error), { retryable: true, cause: error });
}
